//! The loopback device of a new network namespace, which is down at first.

use std::io;

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with,
};

/// The number the kernel gives the loopback device of every network namespace.
const LOOPBACK: i32 = 1;

// From linux/netlink.h, linux/rtnetlink.h and linux/if.h.
const RTM_NEWLINK: u16 = 16;
const NLMSG_ERROR: u16 = 2;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_ACK: u16 = 4;
const IFF_UP: u32 = 1;

/// Brings the loopback device up.
///
/// # Errors
/// The kernel refuses: the network namespace is not ours.
pub(super) fn loopback_up() -> io::Result<()> {
    let flags = SocketFlags::CLOEXEC;
    // No protocol is 0, which is that of links and routes (NETLINK_ROUTE).
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
    send(&socket, &request(), SendFlags::empty())?;
    let mut answer = [0; 128];
    let (count, _) = recv(&socket, &mut answer[..], RecvFlags::empty())?;
    match verdict(&answer[..count]) {
        Some(0) => Ok(()),
        Some(code) => Err(io::Error::from_raw_os_error(-code)),
        None => Err(io::Error::other("an answer of another kind")),
    }
}

/// `struct nlmsghdr`, then `struct ifinfomsg`: set the flag UP of the loopback device.
fn request() -> Vec<u8> {
    let mut body = vec![0; 4]; // family, padding, type
    body.extend(LOOPBACK.to_ne_bytes());
    body.extend(IFF_UP.to_ne_bytes()); // the flags
    body.extend(IFF_UP.to_ne_bytes()); // which of them change
    let length = 16 + u32::try_from(body.len()).expect("a few bytes");
    let mut message = Vec::new();
    message.extend(length.to_ne_bytes());
    message.extend(RTM_NEWLINK.to_ne_bytes());
    message.extend((NLM_F_REQUEST | NLM_F_ACK).to_ne_bytes());
    message.extend([0; 8]); // sequence and port
    message.extend(body);
    message
}

/// The error number of an answer, negative or 0, as `struct nlmsgerr` holds it after the header.
fn verdict(answer: &[u8]) -> Option<i32> {
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    let code = i32::from_ne_bytes(answer.get(16..20)?.try_into().ok()?);
    (kind == NLMSG_ERROR).then_some(code)
}
