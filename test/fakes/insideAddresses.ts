/** Spellings of this machine's and of private networks' addresses that old or new URL parsers accept. */
export const insideAddresses: readonly string[] =
  `127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.255.255.254 0 0.0.0.0
  [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [::7f00:1] [::ffff:0:127.0.0.1]
  [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::] [fe80::1] [fec0::1] [fc00::1] [fd12:3456::1]
  [ff02::1] [100::1] localhost LOCALHOST localhost. a.localhost 127.0.0.1. 10.0.0.1 10.1 167772161 0xa.1 172.16.0.1
  172.31.255.255 192.168.0.1 192.168.1 3232235777 0xc0a80101 100.64.0.1 169.254.169.254 0xa9fea9fe 2852039166
  198.18.0.1 192.0.0.8 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 nas router nas.local intranet.corp db.internal
  metadata.google.internal metadata.google.internal. 169.254.169.254. 0251.0376.0251.0376 0xa9.0xfe.0xa9.0xfe
  [fd00:ec2::254] [64:ff9b::a9fe:a9fe] [2002:a9fe:a9fe::] 100.100.100.200 localhost.localdomain host.lan my.home a.home.arpa x.private NAS.LOCAL nas.local. %31%32%37.0.0.1 １２７.0.0.1
  127。0。0。1 ⓛocalhost [::ffff:10.0.0.1] [::ffff:a9fe:a9fe] [64:ff9b::a00:1] [2002:a00:1::] [2002:c0a8:101::]
  [::ffff:0:10.0.0.1] [fd00::1] [fe80::a%25lo]`.split(/\s+/)
