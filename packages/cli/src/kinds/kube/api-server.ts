/** Asks the API server of a cluster from this machine, with what a kubeconfig has for it. */
import { request } from 'node:https';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { Failure } from '../../runtime/failure.ts';
import type { ReadContext } from './kube-context.ts';

const WITHIN_MS = 15_000;
const MAX_ANSWER = 4 * 1024 * 1024;

export interface ApiAnswer {
  status: number;
  /** Undefined where it is no JSON. */
  body: unknown;
}

export interface ApiServer {
  ask(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<ApiAnswer>;
}

export function apiServer({ server, ca, serverName, isInsecure, credential }: ReadContext): ApiServer {
  const base = new URL(server);
  const prefix = base.pathname.replace(/\/$/, '');
  const identity = 'token' in credential ? {} : { cert: credential.cert, key: credential.key };
  const bearer = 'token' in credential ? { authorization: `Bearer ${credential.token}` } : {};
  return {
    ask: (method, path, body) =>
      new Promise((resolve, reject) => {
        const fail = (why: string) => reject(new Failure('target', `the cluster at ${base.host} ${why}`));
        const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
        const asked = request(
          {
            ...{
              method,
              path: `${prefix}${path}`,
              host: base.hostname.replace(/^\[|\]$/g, ''),
              port: base.port || 443,
            },
            ...{ ...identity, ...(ca === '' ? {} : { ca }), rejectUnauthorized: !isInsecure },
            ...(serverName === '' ? {} : { servername: serverName }),
            headers: { accept: 'application/json', ...bearer, ...(body ? { 'content-type': type } : {}) },
            signal: AbortSignal.timeout(WITHIN_MS),
          },
          (answer) => {
            const pieces: Buffer[] = [];
            let size = 0;
            answer.on('data', (piece: Buffer) => {
              size += piece.length;
              if (size <= MAX_ANSWER) pieces.push(piece);
              else answer.destroy(new Error('it answers with more than can be meant'));
            });
            answer.on('error', (error) => fail(`does not answer: ${error.message}`));
            answer.on('end', () =>
              resolve({ status: answer.statusCode ?? 0, body: parseJson(Buffer.concat(pieces).toString()) }),
            );
          },
        );
        asked.on('error', (error) =>
          fail(error.name === 'TimeoutError' ? 'does not answer in time' : `cannot be asked: ${error.message}`),
        );
        asked.end(body === undefined ? undefined : JSON.stringify(body));
      }),
  };
}
