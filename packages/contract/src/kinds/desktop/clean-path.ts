/** The answer to RDCleanPath, with which the client of remote desktops begins: the gateway has done all of it, so there is nothing to say. */

/**
 * A certificate that stands for nothing and whose key nobody has. The client wants one and binds nothing to it: who the host is was
 * decided by the gateway before this page heard of it.
 */
const CERTIFICATE = [
  '308201753082011ba00302010202141ee1836c545fa8604fb4b1af296d88ff29e2180b300a06082a8648ce3d040302300f31',
  '0d300b06035504030c04706167653020170d3236313131383031343334395a180f32313236313032353031343334395a300f',
  '310d300b06035504030c04706167653059301306072a8648ce3d020106082a8648ce3d03010703420004007e0952325dfbc3',
  '43d3241d81440fd40f3d65cf0c8ad4b4a1ba3251241c6677996ca67ca7f5a87d76dba98eed7499b0056f894729de1833856a',
  'dd6853f172e0a3533051301d0603551d0e0416041477b2090c6c9ff9fb110b1c94b62cb86cac430acf301f0603551d230418',
  '3016801477b2090c6c9ff9fb110b1c94b62cb86cac430acf300f0603551d130101ff040530030101ff300a06082a8648ce3d',
  '0403020348003045022100c3a2beadb31fe464957f2e74946952cdb052f1c7811824958c6245726f43fd940220437a865f5e',
  '9be39a96cd270b2dc3af60da1cd46ee6a325f93e166521c984d132',
].join('');

/** X.224 Connection Confirm: TLS was chosen. */
const CONFIRM = Uint8Array.of(3, 0, 0, 19, 14, 0xd0, 0, 0, 0x12, 0x34, 0, 2, 0, 8, 0, 1, 0, 0, 0);
const VERSION = Uint8Array.of(2, 2, 0x0d, 0x3e);
/** 'gateway' */
const ADDRESS = Uint8Array.of(0x67, 0x61, 0x74, 0x65, 0x77, 0x61, 0x79);
const SEQUENCE = 0x30;
const OCTETS = 0x04;
const UTF8 = 0x0c;
/** Tags of what the answer holds: version, X.224, certificates, address. */
const FIELD = { version: 0xa0, x224: 0xa6, certificates: 0xa7, address: 0xa9 } as const;

/** "TLS is there": what follows are the bytes of the protocol itself. */
export function cleanPathAnswer(): Uint8Array<ArrayBuffer> {
  const certificate = Uint8Array.from(CERTIFICATE.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return der(
    SEQUENCE,
    der(FIELD.version, VERSION),
    der(FIELD.x224, der(OCTETS, CONFIRM)),
    der(FIELD.certificates, der(SEQUENCE, der(OCTETS, certificate))),
    der(FIELD.address, der(UTF8, ADDRESS)),
  );
}

function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  const bytes = new Uint8Array(head.length + length);
  bytes.set(head);
  let offset = head.length;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
