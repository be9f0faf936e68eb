/** The answer to RDCleanPath, with which the client of remote desktops begins: the gateway has done all of it, so there is nothing to say. */

/**
 * A certificate that stands for nothing and whose key nobody has. The client wants one and binds nothing to it: who the host is was
 * decided by the gateway before this page heard of it.
 */
const CERTIFICATE =
  'MIIBdTCCARugAwIBAgIUHuGDbFRfqGBPtLGvKW2I/yniGAswCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEcGFnZTAgFw0yNjExMTgwMTQzNDlaGA8yMTI2MTAyNTAxNDM0OVowDzENMAsGA1UEAwwEcGFnZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAB+CVIyXfvDQ9MkHYFED9QPPWXPDIrUtKG6MlEkHGZ3mWymfKf1qH1226mO7XSZsAVviUcp3hgzhWrdaFPxcuCjUzBRMB0GA1UdDgQWBBR3sgkMbJ/5+xELHJS2LLhsrEMKzzAfBgNVHSMEGDAWgBR3sgkMbJ/5+xELHJS2LLhsrEMKzzAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQDDor6tsx/kZJV/LnSUaVLNsFLxx4EYJJWMYkVyb0P9lAIgQ3qGX16b45qWzScLLcOvYNoc1G7moyX5PhZlIcmE0TI=';

/** X.224 Connection Confirm: TLS was chosen. */
const CONFIRM = Uint8Array.of(3, 0, 0, 19, 14, 0xd0, 0, 0, 0x12, 0x34, 0, 2, 0, 8, 0, 1, 0, 0, 0);
const VERSION = Uint8Array.of(2, 2, 0x0d, 0x3e);
const SEQUENCE = 0x30;
const OCTETS = 0x04;
const UTF8 = 0x0c;
/** Tags of what the answer holds: version, X.224, certificates, address. */
const FIELD = { version: 0xa0, x224: 0xa6, certificates: 0xa7, address: 0xa9 } as const;

/** "TLS is there": what follows are the bytes of the protocol itself. */
export function cleanPathAnswer(): Uint8Array<ArrayBuffer> {
  const certificate = Uint8Array.from(atob(CERTIFICATE), (character) => character.charCodeAt(0));
  return der(
    SEQUENCE,
    der(FIELD.version, VERSION),
    der(FIELD.x224, der(OCTETS, CONFIRM)),
    der(FIELD.certificates, der(SEQUENCE, der(OCTETS, certificate))),
    der(FIELD.address, der(UTF8, new TextEncoder().encode('gateway'))),
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
