/** Answers the file copy calls of the wire reference: thin ways in to the same files. */
import { createHash } from 'node:crypto';
import type { AssertionResponse } from '@gatehouse/contract/identity/webauthn';
import { folderOf, nameOf, resolvePath, whyNotName, whyNotPath } from '@gatehouse/contract/kinds/node/files/paths';
import type { scpRoutes } from '@gatehouse/contract/kinds/node/files/scp';
import { REQUEST } from '@gatehouse/contract/kinds/node/files/sftp';
import { osLogin } from '@gatehouse/contract/kinds/node/node-spec';
import type { Actor } from '../../../platform/http/actor.ts';
import type { Exchange, Handlers } from '../../../platform/http/call.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { parseInput } from '../../../platform/std/parse-input.ts';
import { downloadFile } from './downloads.ts';
import type { FileHandlerDeps } from './file-handlers.ts';
import type { FileSession } from './file-session.ts';
import { about, typeOf } from './server-files.ts';
import { bytesOfName, textOfName } from './sftp/name-bytes.ts';
import { takeUpload } from './upload-call.ts';

interface Called {
  actor: Actor;
  params: { id: string; login: string };
  query: { location: string; webauthn?: AssertionResponse | undefined };
  exchange: Exchange;
}

export function scpHandlers(deps: Omit<FileHandlerDeps, 'tickets'>): Handlers<typeof scpRoutes> {
  const { sessions, audit, identity } = deps;

  /** For this one copy: each is decided, and each proves its own factor. */
  const open = async ({ actor, params, query, exchange }: Called): Promise<FileSession> => {
    const login = parseInput(osLogin, params.login, 'login');
    const { requestId, address } = exchange;
    const proveFactor = async () => {
      if (!query.webauthn) throw new AppError('mfa_required', 'a role of yours asks for a second factor here');
      await identity.proveAgain(actor, { code: undefined, key: query.webauthn }, exchange);
    };
    return sessions.open({
      caller: identity.callerOf(actor),
      server: params.id,
      login,
      address,
      requestId,
      call: 'scp',
      proveFactor,
    });
  };

  const done = (session: FileSession) => session.finish({ cause: 'exited', message: 'the copy is over' });

  return {
    async download(called) {
      const session = await open(called);
      const { address } = called.exchange;
      try {
        const path = await placeOf(session, called.query.location);
        const touched = { facts: session.facts, address, path, how: `scp -f ${path}` };
        const onOver = async (error?: unknown) => {
          await audit.transfer('download', touched, error);
          done(session);
        };
        const reply = await downloadFile(path, nameOf(path), { session, onOver });
        // Exactly as that wire has it: its clients read the name by cutting the text.
        const disposition = `attachment;filename="${queryEscaped(nameOf(path))}"`;
        return { ...reply, headers: { ...reply.headers, 'content-disposition': disposition } };
      } catch (error) {
        done(session);
        throw error;
      }
    },

    async upload(called) {
      const { exchange, query, body } = called;
      const size = Number(exchange.header('content-length') ?? Number.NaN);
      if (!Number.isSafeInteger(size) || size < 0)
        throw new AppError('bad_request', 'the Content-Length of the file is missing');
      const wrong = whyNotName(query.filename);
      if (wrong) throw new AppError('bad_request', `query 'filename': ${wrong}`);
      const session = await open(called);
      try {
        const place = await placeOf(session, query.location);
        const isFolder = query.location.endsWith('/') || (await leadsToFolder(session, place));
        const target = isFolder
          ? { folder: place, name: query.filename }
          : { folder: folderOf(place), name: nameOf(place) };
        const id = createHash('sha256').update(session.facts.id).digest('hex').slice(0, 16);
        const upload = { ...target, id, offset: 0, size, replace: true };
        await takeUpload({ ...upload, session, audit, address: exchange.address, body });
        return undefined;
      } finally {
        done(session);
      }
    },
  };
}

/** A location may be relative to the home of the login, as with the command of that name. */
async function placeOf(session: FileSession, location: string): Promise<string> {
  const home = await session.use((client) => about('.', client.path(REQUEST.realpath, Buffer.from('.'))));
  const path = resolvePath(location, { folder: textOfName(home), home: textOfName(home) });
  const wrong = whyNotPath(path);
  if (wrong) throw new AppError('bad_request', `query 'location': ${wrong}`);
  return path;
}

async function leadsToFolder(session: FileSession, path: string): Promise<boolean> {
  return session.use(async (client) => {
    const found = await client.attributes(REQUEST.stat, bytesOfName(path)).catch(() => undefined);
    return found !== undefined && typeOf(found) === 'folder';
  });
}

function queryEscaped(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll('%20', '+').replaceAll("'", '%27');
}
