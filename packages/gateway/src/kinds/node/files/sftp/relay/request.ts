/** The requests of an SFTP client, read strictly: what the server will make of them, and what may be answered. */
import { ANSWER, ATTRIBUTE, EXTENSION, REQUEST } from '@gatehouse/contract/kinds/node/files/sftp';
import { PacketFields } from '@gatehouse/tunnel/sftp/packet-fields';
import { textOfName } from '../name-bytes.ts';
import { SftpBroken } from '../sftp-error.ts';
import type { SetAttributes, SftpOperation } from './observation.ts';

/** A handle is the server's own business; the draft ends it at 256 bytes. */
export const MAX_HANDLE_BYTES = 256;
/** Longer than any system takes a path, twice as links and their targets go. */
const MAX_PATH_BYTES = 32 * 1024;
const KNOWN_ATTRIBUTES =
  ATTRIBUTE.size | ATTRIBUTE.owner | ATTRIBUTE.permissions | ATTRIBUTE.times | ATTRIBUTE.extended;

export interface SftpRequest {
  /** What it may be answered with, beside a status. */
  answer: number;
  operation?: SftpOperation;
  path?: string;
  to?: string;
  flags?: number;
  attributes?: SetAttributes;
  /** It asks for a handle. */
  opens?: boolean;
  closes?: boolean;
  /** Those it uses; each must be open. */
  handles?: string[];
  /** How many bytes it asks for. */
  reads?: number;
  /** How many bytes it holds. */
  writes?: number;
  /** From the first handle to the second; how many the server alone knows where it is zero. */
  copies?: number;
  asksHome?: boolean;
}

/** Nothing where the server is not to be asked: what is unknown could be anything. Throws `SftpBroken` when it is malformed. */
export function readRequest(packet: Buffer): SftpRequest | undefined {
  const type = packet[0] ?? 0;
  const fields = new RequestFields(packet, 5);
  const read = type === REQUEST.extended ? EXTENDED.get(fields.short()) : PLAIN[type];
  const request = read?.(fields);
  if (request && fields.left > 0) throw new SftpBroken('a request of the client has something behind its end');
  return request;
}

class RequestFields extends PacketFields {
  protected override cutShort(): Error {
    return new SftpBroken('a request of the client is cut short');
  }

  protected override tooLarge(): Error {
    return new SftpBroken('the client told of an impossible size');
  }

  path(): string {
    const bytes = this.bytes();
    if (bytes.length > MAX_PATH_BYTES) throw new SftpBroken('the client told of a path no system has');
    return textOfName(bytes);
  }

  /** The name of an extension. */
  short(): string {
    const bytes = this.bytes();
    if (bytes.length > MAX_HANDLE_BYTES) throw new SftpBroken('the client told of an extension with an endless name');
    return bytes.toString('latin1');
  }

  handle(): string {
    const bytes = this.bytes();
    if (bytes.length > MAX_HANDLE_BYTES) throw new SftpBroken('the client told of a handle nobody gave it');
    return bytes.toString('latin1');
  }

  attributes(): SetAttributes {
    const flags = this.uint32();
    if ((flags & ~KNOWN_ATTRIBUTES) !== 0) throw new SftpBroken('the client told of attributes that SFTP 3 has not');
    const set: SetAttributes = {};
    if (flags & ATTRIBUTE.size) set.file_size = this.uint64();
    if (flags & ATTRIBUTE.owner) [set.uid, set.gid] = [this.uint32(), this.uint32()];
    if (flags & ATTRIBUTE.permissions) set.permissions = this.uint32();
    if (flags & ATTRIBUTE.times) [set.access_time, set.modification_time] = [this.uint32(), this.uint32()];
    if (flags & ATTRIBUTE.extended) {
      for (let left = this.uint32(); left > 0; left--) {
        this.bytes();
        this.bytes();
      }
    }
    return set;
  }
}

type Read = (fields: RequestFields) => SftpRequest;

const onPath =
  (answer: number, operation?: SftpOperation): Read =>
  (fields) => ({ answer, path: fields.path(), ...(operation ? { operation } : {}) });

const onHandle =
  (answer: number): Read =>
  (fields) => ({ answer, handles: [fields.handle()] });

const setPath: Read = (fields) => ({
  answer: ANSWER.status,
  operation: 'setstat',
  path: fields.path(),
  attributes: fields.attributes(),
});

const twoPaths =
  (operation: SftpOperation): Read =>
  (fields) => ({ answer: ANSWER.status, operation, path: fields.path(), to: fields.path() });

/** What it leads to stands before the link: OpenSSH turned the draft's order round, and everybody followed. */
const link =
  (operation: 'symlink' | 'hardlink'): Read =>
  (fields) => {
    const to = fields.path();
    return { answer: ANSWER.status, operation, path: fields.path(), to };
  };

const PLAIN: Readonly<Record<number, Read | undefined>> = {
  [REQUEST.open]: (fields) => ({
    answer: ANSWER.handle,
    operation: 'open',
    opens: true,
    path: fields.path(),
    flags: fields.uint32(),
    attributes: fields.attributes(),
  }),
  [REQUEST.close]: (fields) => ({
    answer: ANSWER.status,
    operation: 'close',
    closes: true,
    handles: [fields.handle()],
  }),
  [REQUEST.read]: (fields) => {
    const handles = [fields.handle()];
    fields.uint64();
    return { answer: ANSWER.data, handles, reads: fields.uint32() };
  },
  [REQUEST.write]: (fields) => {
    const handles = [fields.handle()];
    fields.uint64();
    return { answer: ANSWER.status, handles, writes: fields.bytes().length };
  },
  [REQUEST.lstat]: onPath(ANSWER.attributes),
  [REQUEST.stat]: onPath(ANSWER.attributes),
  [REQUEST.fstat]: onHandle(ANSWER.attributes),
  [REQUEST.setstat]: setPath,
  [REQUEST.fsetstat]: (fields) => ({
    answer: ANSWER.status,
    operation: 'fsetstat',
    handles: [fields.handle()],
    attributes: fields.attributes(),
  }),
  [REQUEST.opendir]: (fields) => ({ answer: ANSWER.handle, opens: true, path: fields.path() }),
  [REQUEST.readdir]: onHandle(ANSWER.name),
  [REQUEST.remove]: onPath(ANSWER.status, 'remove'),
  [REQUEST.mkdir]: (fields) => ({
    answer: ANSWER.status,
    operation: 'mkdir',
    path: fields.path(),
    attributes: fields.attributes(),
  }),
  [REQUEST.rmdir]: onPath(ANSWER.status, 'rmdir'),
  [REQUEST.realpath]: (fields) => {
    const path = fields.path();
    return { answer: ANSWER.name, path, asksHome: path === '.' || path === '' };
  },
  [REQUEST.rename]: twoPaths('rename'),
  [REQUEST.readlink]: onPath(ANSWER.name),
  [REQUEST.symlink]: link('symlink'),
};

/** All that are let through. Each other one is told to be unknown, whatever the server would make of it. */
const EXTENDED: ReadonlyMap<string, Read> = new Map<string, Read>([
  [EXTENSION.posixRename, twoPaths('rename')],
  [EXTENSION.hardlink, link('hardlink')],
  [EXTENSION.statvfs, onPath(ANSWER.extended)],
  ['fstatvfs@openssh.com', onHandle(ANSWER.extended)],
  [EXTENSION.fsync, onHandle(ANSWER.status)],
  ['lsetstat@openssh.com', setPath],
  [EXTENSION.limits, () => ({ answer: ANSWER.extended })],
  ['expand-path@openssh.com', onPath(ANSWER.name)],
  ['home-directory', onPath(ANSWER.name)],
  [
    'users-groups-by-id@openssh.com',
    (fields) => {
      fields.bytes();
      fields.bytes();
      return { answer: ANSWER.extended };
    },
  ],
  [
    'copy-data',
    (fields) => {
      const from = fields.handle();
      fields.uint64();
      const copies = fields.uint64();
      const to = fields.handle();
      fields.uint64();
      return { answer: ANSWER.status, handles: [from, to], copies };
    },
  ],
]);

export function isKnownExtension(name: string): boolean {
  return EXTENDED.has(name);
}
