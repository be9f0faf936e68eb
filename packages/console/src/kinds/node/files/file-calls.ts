/** The calls about files of one login on one server: opened when first needed, opened again when the gateway has let go. */

import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import type { AuthenticateChallenge, FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import { type FileEntry, fileRoutes } from '@gatehouse/contract/kinds/node/files/files';
import { CallError, readError } from '@gatehouse/contract/wire/client';
import { pathFor, queryString } from '@gatehouse/contract/wire/route';
import { type Api, apiOver } from '../../../platform/api/api.ts';
import type { BrowserServices } from '../../../platform/browser/browser-services.tsx';
import type { UploadQuery, UploadWire } from './upload-queue.ts';

export interface FilesAt {
  clusterId: string;
  /** Id or name of the server. */
  server: string;
  login: string;
}

export interface OpenedFiles {
  id: string;
  server: { id: string; name: string };
  home: string;
}

export interface Listing {
  path: string;
  entries: FileEntry[];
  /** False: there is more than is told. */
  complete: boolean;
}

export interface TextFile {
  text: string;
  version: string;
  writable: boolean;
}

/** Rejects when the person does not want to prove it. */
export type AskFactor = (challenge: AuthenticateChallenge) => Promise<FactorAnswer>;

type Site = { clusterId: string; fileSession: string };

export class FileCalls implements UploadWire {
  readonly #browser: Pick<BrowserServices, 'send' | 'sendBytes'>;
  readonly #api: Api;
  readonly #at: FilesAt;
  readonly #askFactor: AskFactor;
  #opened: Promise<OpenedFiles> | undefined;

  constructor(browser: Pick<BrowserServices, 'send' | 'sendBytes'>, at: FilesAt, askFactor: AskFactor) {
    this.#browser = browser;
    this.#api = apiOver(browser.send);
    this.#at = at;
    this.#askFactor = askFactor;
  }

  open(): Promise<OpenedFiles> {
    this.#opened ??= this.#begin().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  list = (path: string, signal?: AbortSignal): Promise<Listing> =>
    this.#within((params) => this.#api(fileRoutes.list, { params, query: { path } }, signal));

  makeFolder = (path: string) => this.#within((params) => this.#api(fileRoutes.makeFolder, { params, body: { path } }));

  rename = (path: string, name: string) =>
    this.#within((params) => this.#api(fileRoutes.rename, { params, body: { path, name } }));

  remove = (paths: string[]) =>
    this.#within((params) => this.#api(fileRoutes.remove, { params, body: { paths, recursive: true } }));

  readText = (path: string): Promise<TextFile> =>
    this.#within((params) => this.#api(fileRoutes.readText, { params, query: { path } }));

  saveText = (path: string, text: string, version: string) =>
    this.#within((params) => this.#api(fileRoutes.saveText, { params, body: { path, text, version } }));

  /** An address this browser can download from, once. */
  ticket = async (paths: string[], archive: boolean): Promise<string> =>
    (await this.#within((params) => this.#api(fileRoutes.ticket, { params, body: { paths, archive } }))).url;

  progress = (query: UploadQuery) => this.#within((params) => this.#api(fileRoutes.progress, { params, query }));

  giveUp = (query: UploadQuery): Promise<unknown> =>
    this.#within((params) => this.#api(fileRoutes.giveUp, { params, query }));

  write: UploadWire['write'] = (query, body, options) =>
    this.#within(async (params) => {
      const url = pathFor(fileRoutes.write.path, params) + queryString({ ...query });
      const reply = await this.#browser.sendBytes({ method: 'PUT', url, body }, options);
      if (reply.status !== 200) throw readError(reply, url);
    });

  async #begin(): Promise<OpenedFiles> {
    const { clusterId, server, login } = this.#at;
    const ask = (factor?: FactorAnswer) =>
      this.#api(fileRoutes.open, { params: { clusterId }, body: { server, login, ...(factor ? { factor } : {}) } });
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof CallError) || error.code !== 'mfa_required') throw error;
      return ask(await this.#askFactor(await this.#api(mfaRoutes.challenge, {})));
    }
  }

  /** Once more when the gateway has forgotten, as after a long rest. */
  async #within<T>(work: (params: Site) => Promise<T>): Promise<T> {
    const attempt = async () => work({ clusterId: this.#at.clusterId, fileSession: (await this.open()).id });
    try {
      return await attempt();
    } catch (error) {
      if (!isForgotten(error)) throw error;
      this.#opened = undefined;
      return attempt();
    }
  }
}

function isForgotten(error: unknown): boolean {
  if (!(error instanceof CallError)) return false;
  return (
    (error.code === 'not_found' && error.fields.by !== 'server') ||
    error.code === 'mfa_required' ||
    error.fields.ended === true
  );
}
