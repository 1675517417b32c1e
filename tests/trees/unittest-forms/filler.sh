! grep -Eq '(f[2-4].\(\): return|^F[5-9] =) True' product.py
