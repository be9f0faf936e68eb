/** Everything that can go wrong with a request, as a status and words the other side can show. */
import { getSystemErrorMessage } from 'node:util';
import { STATUS, type Status } from '@gatehouse/contract/kinds/node/files/sftp';
import { MAX_PACKET_BYTES, PacketReader } from '@gatehouse/tunnel/sftp/packet-reader';

/** The answer to one request; the next may well succeed. */
export class SftpFailure extends Error {
  override name = 'SftpFailure';
  readonly status: Status;

  constructor(status: Status, message: string) {
    super(message);
    this.status = status;
  }
}

/** The other side does not speak SFTP: nothing after this can be understood. */
export class SftpProtocolError extends Error {
  override name = 'SftpProtocolError';
}

/** Cuts what a client sends into packets. */
export function clientPackets(): PacketReader {
  return new PacketReader((length) => {
    if (length === 0) return new SftpProtocolError('a packet is empty');
    return new SftpProtocolError(`a packet of ${length} bytes is announced; ${MAX_PACKET_BYTES} are taken`);
  });
}

const STATUS_OF: Record<string, Status> = {
  ENOENT: STATUS.noSuchFile,
  ENOTDIR: STATUS.noSuchFile,
  ELOOP: STATUS.noSuchFile,
  EACCES: STATUS.permissionDenied,
  EPERM: STATUS.permissionDenied,
  EROFS: STATUS.permissionDenied,
  EINVAL: STATUS.badMessage,
  ENAMETOOLONG: STATUS.badMessage,
  ENOSYS: STATUS.unsupported,
  EOPNOTSUPP: STATUS.unsupported,
};

export function failureOf(error: unknown): SftpFailure {
  if (error instanceof SftpFailure) return error;
  if (!(error instanceof Error)) return new SftpFailure(STATUS.failure, 'failed');
  const code = codeOf(error);
  const errno = 'errno' in error && typeof error.errno === 'number' ? error.errno : undefined;
  // The system's words alone: Node's own message repeats the path, in an encoding it may not have.
  const message = errno === undefined ? error.message : getSystemErrorMessage(errno);
  return new SftpFailure(STATUS_OF[code] ?? STATUS.failure, message);
}

/** `ENOENT` and the like; empty when the system did not say it. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
