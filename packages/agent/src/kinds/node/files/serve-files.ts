/** Gives gateways the files of a user through a process that has the rights of that user and no others. */
import type { Duplex } from 'node:stream';
import { filesRequest } from '@gatehouse/contract/reach/agents/targets';
import type { StreamMetadata } from '@gatehouse/contract/reach/tunnel/streams';
import type { OfferedStream } from '@gatehouse/tunnel/agent-session';
import { messageOf, StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import { readMetadata } from '../../../reach/metadata.ts';
import type { WithoutDescriptors } from '../../../runtime/children/without-descriptors.ts';
import type { AgentLog } from '../../../runtime/log.ts';
import { checkLogin, LoginRefused, type LoginRules } from '../login/check-login.ts';
import { type LoginMethod, tryLogin } from '../login/start-as.ts';
import { type FilesProcess, startFilesProcess } from './files-process.ts';

/** Each is a process of some 60 MB. */
const MAX_PROCESSES = 64;

export interface FilesDeps {
  rules: LoginRules;
  way: LoginMethod | undefined;
  closer: WithoutDescriptors | undefined;
  language: string;
  log: AgentLog;
}

export interface Files {
  /** Resolves when the process serves; it ends with the stream. Throws LoginRefused or StreamRefused otherwise. */
  serve(offered: OfferedStream, metadata: StreamMetadata, signal: AbortSignal): Promise<void>;
  /** How many processes there are. */
  readonly size: number;
}

export function createFiles({ rules, way, closer, language, log }: FilesDeps): Files {
  let size = 0;

  const start = async (login: string, signal: AbortSignal): Promise<FilesProcess> => {
    const person = await checkLogin(login, rules);
    if (!closer) throw new LoginRefused('this machine has no bash, which the agent needs to start programs safely');
    const no = await tryLogin(way, person);
    if (no !== undefined) throw new LoginRefused(no);
    try {
      return await startFilesProcess({ person, closer, language, signal });
    } catch (error) {
      throw new StreamRefused('failed', `the files of '${login}' cannot be served: ${messageOf(error)}`);
    }
  };

  return {
    get size() {
      return size;
    },
    async serve(offered, metadata, signal) {
      const { login, session, user } = readMetadata(filesRequest, metadata);
      if (size >= MAX_PROCESSES) {
        throw new StreamRefused('busy', `this agent serves files to ${MAX_PROCESSES} clients; it takes no more`);
      }
      size += 1;
      const served = await start(login, signal).catch((error: unknown) => {
        size -= 1;
        throw error;
      });
      const facts = { sessionId: session, username: user, login, pid: served.pid };
      log.info(facts, 'files are served');
      void served.ended.then((reason) => {
        size -= 1;
        if (reason !== undefined) log.warn({ ...facts, reason }, 'serving files failed');
      });
      join(offered.accept(), served);
    },
  };
}

/** Each way waits for the other side to take what it was given. */
function join(stream: Duplex, { input, output, ended, end }: FilesProcess): void {
  stream.on('error', () => {});
  stream.on('close', end);
  stream.pipe(input);
  // Not ended by the pipe: a process that died must not look like one that was done.
  output.pipe(stream, { end: false });
  void ended.then((reason) => {
    if (reason === undefined && stream.readableEnded) stream.end();
    else stream.destroy(new Error(reason ?? 'the process ended before its client did'));
  });
  if (stream.destroyed) end();
}
