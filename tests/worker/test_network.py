"""What a child may leave in the network that it shares with the next."""

import socket
import unittest

from adequacy_worker import network

PORTS = (32768, 60999)
# Local end, other end, state, as the kernel writes them: 0x8000 is the first port of its own choice.
LINE = "   0: 0100007F:{:04X} 0100007F:{:04X} {} 00000000:00000000 03:000015E4 00000000     0        0 0 3"


def line(local, other, state="06"):
    return LINE.format(local, other, state)


class Left(unittest.TestCase):
    def test_only_closed_connections_between_ports_of_the_kernels_choice_may_stay(self):
        stays = [line(0x8000, 60999), line(60999, 0x8000)]
        listens, established = line(0x8000, 0, "0A"), line(0x8000, 0x8001, "01")
        others = [listens, established, line(8080, 0x8000), line(0x8000, 8080), line(61000, 0x8000)]
        self.assertEqual(network.parted(stays + others, PORTS), (others, 2))

    def test_a_real_closed_connection_is_one(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            end = ":{:04X}".format(server.getsockname()[1])
            with socket.create_connection(server.getsockname()) as one:
                other, _ = server.accept()
                one.close()
                other.close()
        with open("/proc/net/tcp") as file:
            closed = [line for line in file if any(word.endswith(end) for word in line.split()[1:3])]
        rest, stay = network.parted(closed, network.chosen_by_kernel())
        self.assertEqual((rest, stay > 0), ([], True))


class Numbers(unittest.TestCase):
    def test_a_port_by_its_number_is_told_from_any_port_and_from_a_path(self):
        for any_port in ("/a/path", b"\0abstract", ("127.0.0.1", 0), ("::1", 0, 0, 0)):
            self.assertFalse(network.by_number(any_port), any_port)
        for by_number in (("127.0.0.1", 8080), ("::1", 40000, 0, 0), (7,), 7):
            self.assertTrue(network.by_number(by_number), by_number)

    def test_what_is_bound_is_seen(self):
        seen = []
        network.watch(lambda: seen.append(1))
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.assertEqual(seen, [])
            with socket.socket() as other, self.assertRaises(OSError):
                other.bind(one.getsockname())
        self.assertEqual(seen, [1])


if __name__ == "__main__":
    unittest.main()
