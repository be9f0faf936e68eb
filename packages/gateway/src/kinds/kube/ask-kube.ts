/** Asks the API server of a cluster for something small, one thing after the other on one connection, as the gateway itself or as a person. */
import type { Duplex } from 'node:stream';
import type { KubeCredential } from '@gatehouse/contract/kinds/kube/kube-spec';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { z } from 'zod';
import { AppError } from '../../platform/std/app-error.ts';
import { UpstreamConnection } from '../../reach/http/upstream-connection.ts';

/** What is asked for here is small; who answers more is no API server. */
const MAX_ANSWER = 1024 * 1024;
/** Of what a server says of itself, in words for people. */
const MAX_WORDS = 500;

export interface KubeQuestion {
  method: 'GET' | 'POST';
  /** As the cluster has it; what stands before every path there is put before it. */
  path: string;
  body?: object;
  /** As whom; nobody: as the gateway itself. */
  as?: { user: string; groups: readonly string[] } | undefined;
}

export interface KubeReply {
  status: number;
  /** Undefined where it is no JSON. */
  body: unknown;
}

export interface AskedKube {
  /** HOST:PORT. */
  host: string;
  /** Stands before every path there. */
  prefix: string;
  credential: KubeCredential;
}

/** Visible ASCII: letters beyond could end the line. */
const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

export interface KubeTalk {
  /** Throws `target_unreachable` in words where nothing comes that could be an answer. */
  ask(question: KubeQuestion, signal: AbortSignal): Promise<KubeReply>;
  close(): void;
}

/** On a stream inside TLS; one question at a time. */
export function talkToKube(stream: Duplex, asked: AskedKube): KubeTalk {
  const connection = new UpstreamConnection(stream, { onIdle() {}, onClose() {} });
  return {
    ask: (question, signal) => askOn(connection, asked, question, signal),
    close: () => connection.destroy(),
  };
}

function askOn(
  connection: UpstreamConnection,
  asked: AskedKube,
  question: KubeQuestion,
  signal: AbortSignal,
): Promise<KubeReply> {
  const body = question.body && Buffer.from(JSON.stringify(question.body));
  const head = headOf(asked, question, body);
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    let status = 0;
    const fail = (why: string) => {
      connection.destroy();
      reject(new AppError('target_unreachable', `the API server at ${asked.host} ${why}`));
    };
    if (!connection.usable) {
      fail('closed the connection');
      return;
    }
    connection.send(head, question.method, body ? 'length' : 'none', {
      onHead(answer) {
        status = answer.status;
      },
      onData(data, release) {
        size += data.length;
        if (size <= MAX_ANSWER) pieces.push(Buffer.from(data));
        release?.();
        if (size > MAX_ANSWER) fail('answers with more than can be meant');
        return true;
      },
      onEnd() {
        settled();
        resolve({ status, body: parseJson(Buffer.concat(pieces).toString()) });
      },
      onFault({ message }) {
        settled();
        fail(`does not answer as one: ${message}`);
      },
    });
    if (body) connection.write(body);
    connection.endRequest();
    const settled = whenAborted(signal, () => fail('does not answer in time'));
  });
}

function headOf({ host, prefix, credential }: AskedKube, { method, path, as }: KubeQuestion, body?: Buffer): string {
  const lines = [
    `${method} ${prefix}${path} HTTP/1.1`,
    `host: ${host}`,
    'accept: application/json',
    'user-agent: gatehouse',
    ...('token' in credential ? [`authorization: Bearer ${credential.token}`] : []),
    ...(as ? [`impersonate-user: ${asValue(as.user)}`] : []),
    ...(as?.groups ?? []).map((group) => `impersonate-group: ${asValue(group)}`),
    ...(body ? ['content-type: application/json', `content-length: ${body.length}`] : []),
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function asValue(name: string): string {
  if (HEADER_VALUE.test(name)) return name;
  throw new AppError('bad_request', `'${name}' cannot be told to a Kubernetes cluster: use letters of ASCII`);
}

const status = z.object({ kind: z.literal('Status'), message: z.string() });

/** What it says in words of why it refused; may be empty. */
export function wordsOf({ body }: KubeReply): string {
  const { data } = status.safeParse(body);
  const words = (data?.message ?? '').replaceAll(/\s+/g, ' ').trim();
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}
