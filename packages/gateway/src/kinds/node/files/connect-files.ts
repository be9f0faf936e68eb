/** Opens the files of a server for a session of the browser. */
import type { FileSession } from './file-session.ts';
import { openSftp, type SftpDeps } from './open-sftp.ts';
import { SftpClient } from './sftp/sftp-client.ts';

export async function connectFiles(deps: SftpDeps, { facts, signal }: FileSession): Promise<SftpClient> {
  const { id, action, user, signInId } = facts;
  const { resource, login } = action;
  const stream = await openSftp(deps, { resource, login, who: { user, session: id, signInId }, signal });
  try {
    return await SftpClient.greet(stream);
  } catch (error) {
    stream.destroy();
    throw error;
  }
}
