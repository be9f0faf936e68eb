/** Answers the calls about the files of servers. */

import { fileRoutes } from '@gatehouse/contract/kinds/node/files/files';
import { folderOf, joinPath, nameOf } from '@gatehouse/contract/kinds/node/files/paths';
import { REQUEST } from '@gatehouse/contract/kinds/node/files/sftp';
import { OK } from '@gatehouse/contract/wire/ack';
import { pathFor } from '@gatehouse/contract/wire/route';
import type { Identity } from '../../../identity/identity.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { ByteReply } from '../../../platform/http/byte-reply.ts';
import type { Exchange, Handlers } from '../../../platform/http/call.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { downloadArchive, downloadFile } from './downloads.ts';
import type { FileSession } from './file-session.ts';
import type { WantedDownload } from './file-session-store.ts';
import type { FileSessions } from './file-sessions.ts';
import type { ChangeKind, FilesAudit } from './files-audit.ts';
import { removeTree } from './remove-tree.ts';
import { about, listFolder, makeFolder, renameFile, statFile } from './server-files.ts';
import { bytesOfName, textOfName } from './sftp/name-bytes.ts';
import type { SftpClient } from './sftp/sftp-client.ts';
import { readTextFile, saveTextFile } from './text-files.ts';
import type { Tickets } from './tickets.ts';
import { takeUpload } from './upload-call.ts';
import { giveUpUpload, uploadProgress } from './uploads.ts';

export interface FileHandlerDeps {
  sessions: FileSessions;
  audit: FilesAudit;
  tickets: Tickets;
  identity: Pick<Identity, 'proveAgain' | 'callerOf'>;
}

interface Called {
  actor: Actor;
  params: { fileSession: string };
  exchange: Exchange;
}

export function fileHandlers(deps: FileHandlerDeps): Handlers<typeof fileRoutes> {
  const { sessions, audit, tickets, identity } = deps;

  const find = async ({ actor, params }: Called): Promise<FileSession> => {
    return sessions.find(actor, params.fileSession);
  };
  const look = async <T>(called: Called, work: (client: SftpClient) => Promise<T>) => (await find(called)).use(work);

  /** Done or failed, it is audited. */
  const change = async <T>(
    called: Called,
    { kind, path, to }: { kind: ChangeKind; path: string; to?: string },
    work: (client: SftpClient) => Promise<T>,
  ): Promise<T> => {
    const session = await find(called);
    const touched = {
      facts: session.facts,
      address: called.exchange.address,
      path,
      ...(to === undefined ? {} : { to }),
    };
    try {
      const result = await session.use(work);
      await audit.change(kind, touched);
      return result;
    } catch (error) {
      await audit.change(kind, touched, error);
      throw error;
    }
  };

  const give = (session: FileSession, exchange: Exchange, { paths, archive }: WantedDownload): Promise<ByteReply> => {
    const [first = '/'] = paths;
    const path = paths.length === 1 ? first : folderOf(first);
    const how = archive ? `tar -cz ${paths.map(nameOf).join(' ')}`.slice(0, 1_000) : `scp -f ${path}`;
    const touched = { facts: session.facts, address: exchange.address, path, how };
    const options = { session, onOver: (error?: unknown) => audit.transfer('download', touched, error) };
    if (archive) return downloadArchive(rootsOf(paths), `${nameOf(path) || 'files'}.tar.gz`, options);
    const [range, ifRange] = [exchange.header('range'), exchange.header('if-range')];
    return downloadFile(path, nameOf(path), { ...options, range, ifRange });
  };

  return {
    async open({ actor, body, exchange }) {
      const { server, login, factor } = body;
      const { requestId, address } = exchange;
      const proveFactor = async () => {
        if (!factor) throw new AppError('mfa_required', 'a role of yours asks for a second factor here');
        await identity.proveAgain(actor, { code: factor.code, key: factor.key }, exchange);
      };
      const session = await sessions.open({
        caller: identity.callerOf(actor),
        server,
        login,
        address,
        requestId,
        call: 'files',
        proveFactor,
      });
      const { resource } = session.facts.action;
      try {
        const home = await session.use((client) => about('.', client.path(REQUEST.realpath, Buffer.from('.'))));
        return { id: session.facts.id, server: { id: resource.id, name: resource.name }, login, home: canonical(home) };
      } catch (error) {
        session.finish({
          cause: 'failed',
          message: error instanceof AppError ? error.message : 'it could not be reached',
        });
        throw error;
      }
    },

    async close(called) {
      (await find(called)).finish({ cause: 'closed', message: 'you closed it' });
      return OK;
    },

    list: (called) =>
      look(called, async (client) => ({ path: called.query.path, ...(await listFolder(client, called.query.path)) })),
    stat: (called) => look(called, (client) => statFile(client, called.query.path)),

    read: async (called) => give(await find(called), called.exchange, { paths: [called.query.path], archive: false }),
    archive: async (called) => give(await find(called), called.exchange, { paths: [called.query.path], archive: true }),

    progress: (called) => look(called, (client) => uploadProgress(client, uploadOf(called.query))),

    async write(called) {
      const session = await find(called);
      const { offset, size, replace } = called.query;
      const { address } = called.exchange;
      const upload = { ...uploadOf(called.query), offset, size, replace: replace === 'true' };
      await takeUpload({ ...upload, session, audit, address, body: called.body });
      return { path: joinPath(upload.folder, upload.name), size };
    },

    async giveUp(called) {
      await look(called, (client) => giveUpUpload(client, uploadOf(called.query)));
      return OK;
    },

    async makeFolder(called) {
      const { path } = called.body;
      await change(called, { kind: 'makeFolder', path }, (client) => makeFolder(client, path));
      return OK;
    },

    async rename(called) {
      const { path, name } = called.body;
      const to = joinPath(folderOf(path), name);
      await change(called, { kind: 'rename', path, to }, (client) => renameFile(client, path, to));
      return OK;
    },

    async remove(called) {
      const { paths, recursive } = called.body;
      let removed = 0;
      for (const path of paths)
        removed += await change(called, { kind: 'remove', path }, (client) => removeTree(client, path, { recursive }));
      return { removed };
    },

    readText: (called) => {
      const { path } = called.query;
      return change(called, { kind: 'read', path }, (client) => readTextFile(client, path));
    },

    async saveText(called) {
      const { path, text, version } = called.body;
      const saved = await change(called, { kind: 'write', path }, (client) =>
        saveTextFile(client, { path, text, version }),
      );
      return { version: saved };
    },

    async ticket(called) {
      const { paths, archive } = called.body;
      if (paths.length > 1 && !archive) throw new AppError('bad_request', 'several files are downloaded as an archive');
      const session = await find(called);
      const ticket = await tickets.make(session.facts.id, { paths, archive });
      return { url: pathFor(fileRoutes.download.path, { clusterId: called.cluster, ticket }) };
    },

    async download({ actor, params, exchange }) {
      const goesOn = /^bytes=[1-9]\d*-/.test(exchange.header('range') ?? '');
      const wanted = await tickets.use(params.ticket, { goesOn });
      return give(await sessions.find(actor, wanted.fileSession), exchange, wanted);
    },
  };
}

/** Where a login begins, as the server tells it; what is no path of ours is not believed. */
function canonical(home: Buffer): string {
  const text = textOfName(home);
  return text.startsWith('/') && bytesOfName(text).equals(home) ? `/${text.split('/').filter(Boolean).join('/')}` : '/';
}

function uploadOf({ folder, name, upload }: { folder: string; name: string; upload: string }) {
  return { folder, name, id: upload };
}

/** Two of the same name, from different folders, are told apart. */
function rootsOf(paths: readonly string[]) {
  const taken = new Set<string>();
  return paths.map((path) => {
    const plain = nameOf(path) || 'root';
    let name = plain;
    for (let count = 2; taken.has(name); count++) name = `${plain} (${count})`;
    taken.add(name);
    return { path, name };
  });
}
