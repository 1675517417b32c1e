"""Tests run this module as a program, and nothing of it in their own process."""


def main():
    print(22)


if __name__ == "__main__":
    main()
