/** Messages of the channel by which a host uses drives of its client. */
import { FieldReader } from '../../field-reader.ts';

const CORE = 0x4472;
const HEAD_BYTES = 4;

export const DRIVE = {
  hostAnnounce: 0x496e,
  clientId: 0x4343,
  clientName: 0x434e,
  hostCapabilities: 0x5350,
  clientCapabilities: 0x4350,
  deviceList: 0x4441,
  deviceRemove: 0x444d,
  deviceReply: 0x6472,
  loggedOn: 0x554c,
  request: 0x4952,
  completion: 0x4943,
} as const;

export const MAJOR = {
  create: 0,
  close: 2,
  read: 3,
  write: 4,
  queryInfo: 5,
  setInfo: 6,
  queryVolume: 10,
  directory: 12,
  deviceControl: 14,
  lock: 17,
} as const;
export const QUERY_DIRECTORY = 1;

export const STATUS = {
  ok: 0,
  noMoreFiles: 0x80000006,
  failed: 0xc0000001,
  invalidHandle: 0xc0000008,
  invalidParameter: 0xc000000d,
  /** Of a file that is not there: some hosts know no other. */
  noSuchFile: 0xc000000f,
  accessDenied: 0xc0000022,
  nameInvalid: 0xc0000033,
  nameCollision: 0xc0000035,
  diskFull: 0xc000007f,
  noResources: 0xc000009a,
  disconnected: 0xc000009d,
  timeout: 0xc00000b5,
  isDirectory: 0xc00000ba,
  notSupported: 0xc00000bb,
  notEmpty: 0xc0000101,
  notDirectory: 0xc0000103,
  tooManyOpen: 0xc000011f,
} as const;

export interface DriveRequest {
  device: number;
  file: number;
  completion: number;
  major: number;
  minor: number;
  fields: FieldReader;
}

/** Undefined: of printers, which nobody has here. */
export function readDriveHead(bytes: Buffer): { type: number; fields: FieldReader } | undefined {
  const fields = new FieldReader(bytes, 'a message about drives');
  const component = fields.u16();
  const type = fields.u16();
  return component === CORE ? { type, fields } : undefined;
}

export function readDriveRequest(fields: FieldReader): DriveRequest {
  const [device, file, completion] = [fields.u32(), fields.u32(), fields.u32()];
  return { device, file, completion, major: fields.u32(), minor: fields.u32(), fields };
}

export function driveMessage(type: number, ...parts: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16LE(CORE, 0);
  head.writeUInt16LE(type, 2);
  return Buffer.concat([head, ...parts]);
}

export function completion({ device, completion }: DriveRequest, status: number, body: Buffer): Buffer {
  return driveMessage(DRIVE.completion, u32s(device, completion, status), body);
}

export function u32s(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32LE(value, 4 * at);
  return bytes;
}

export function u16s(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt16LE(value, 2 * at);
  return bytes;
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  return bytes;
}

/** Undefined: larger than any file. */
export function readU64(fields: FieldReader): number | undefined {
  const value = fields.take(8).readBigUInt64LE(0);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(value);
}

/** With its length before it, and what some put behind its end cut off. */
export function readWide(bytes: Buffer): string {
  const even = bytes.subarray(0, bytes.length & ~1);
  return even.toString('utf16le').split('\0')[0]!;
}

export const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');

/** What goes before every drive: that the client has a name, and what it can. */
export function clientName(name: string): Buffer {
  const bytes = wide(`${name}\0`);
  return driveMessage(DRIVE.clientName, u32s(1, 0, bytes.length), bytes);
}

const REMOVES_DEVICES = 1;
const HEARS_LOGGED_ON = 4;

/** Files alone: no printers, ports or smart cards. */
export function clientCapabilities(minor: number): Buffer {
  const general = Buffer.concat([
    ...[u16s(1, 44), u32s(2), u32s(0, 0), u16s(1, minor), u32s(0xffff, 0)],
    u32s(REMOVES_DEVICES | HEARS_LOGGED_ON, 0, 0, 0),
  ]);
  const drive = Buffer.concat([u16s(4, 8), u32s(2)]);
  return driveMessage(DRIVE.clientCapabilities, u16s(2, 0), general, drive);
}

const MAX_CAPABILITIES = 16;
const GENERAL = 1;

/** Whether the host says when somebody has signed in: it takes no drives before that. */
export function tellsLoggedOn(fields: FieldReader): boolean {
  const count = fields.u16();
  fields.skip(2);
  for (let left = Math.min(count, MAX_CAPABILITIES); left > 0 && fields.left > 0; left -= 1) {
    const type = fields.u16();
    const length = fields.u16();
    if (length < 8) throw fields.wrong();
    const own = new FieldReader(fields.take(length - 4), 'what the host can about drives');
    if (type === GENERAL && own.left >= 28) return (own.skip(24).u32() & HEARS_LOGGED_ON) !== 0;
  }
  return false;
}

const FILE_SYSTEM = 8;
const SHORT_NAME_BYTES = 8;

export function deviceAnnounce(device: number, shortName: string, name: string): Buffer {
  const short = Buffer.alloc(SHORT_NAME_BYTES);
  short.write(shortName, 0, SHORT_NAME_BYTES - 1, 'latin1');
  const full = wide(`${name}\0`);
  return driveMessage(DRIVE.deviceList, u32s(1, FILE_SYSTEM, device), short, u32s(full.length), full);
}

export function deviceRemove(device: number): Buffer {
  return driveMessage(DRIVE.deviceRemove, u32s(1, device));
}
