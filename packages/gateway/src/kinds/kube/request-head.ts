/** The head of a request as a cluster hears it. */
import { kubeDialAddress } from '@gatehouse/contract/kinds/kube/kube-spec';
import type { RequestBody } from '../../reach/http/proxy-request.ts';
import { filteredRequest } from './engine/filter/filtered-request.ts';
import type { KubeRequest } from './engine/kube-request.ts';
import { type HeaderPair, ownHeaders, passedHeaders } from './engine/request-headers.ts';
import { KubeRefusal } from './kube-refusal.ts';
import type { KubeUse } from './kube-use.ts';
import { wrongRecord } from './listed-kube.ts';

export interface HeadWanted {
  request: KubeRequest;
  /** Names and values in turn, as whoever asks sent them. */
  headers: readonly string[];
  body: RequestBody;
  requestId: string;
}

export interface HeadOptions {
  /** Instead of what was sent under the same names. */
  further?: readonly HeaderPair[];
  /** The answer must come in a form that can be told apart. */
  isFiltered?: boolean;
}

export async function writeRequestHead(
  { cluster, who, credential }: Pick<KubeUse, 'cluster' | 'who' | 'credential'>,
  { request, headers, body, requestId }: HeadWanted,
  { further = [], isFiltered = false }: HeadOptions = {},
): Promise<string> {
  const { address } = cluster;
  if (!address) throw wrongRecord(cluster);
  const passed = passedHeaders(headers);
  const sent = isFiltered ? filteredRequest(request, passed) : { target: request.target, headers: passed };
  if (!sent) throw new KubeRefusal({ code: 406, message: UNREADABLE });
  const shown = await credential();
  const lines: HeaderPair[] = [
    ['host', kubeDialAddress(address)],
    ...sent.headers.filter(([name]) => !further.some(([other]) => other === name)),
    ...further,
    ...ownHeaders({ token: 'token' in shown ? shown.token : undefined, identity: who, requestId }),
    ...framing(headers, body),
  ];
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `${request.method} ${address.path}${sent.target} HTTP/1.1\r\n${text}\r\n`;
}

const UNREADABLE =
  'your roles let you see a part of it, which cannot be told apart in the form that is asked for: ask for application/json';

/** Node has read it by one of the two, and refuses what has both. */
function framing(headers: readonly string[], body: RequestBody): HeaderPair[] {
  if (body === 'none') return [];
  if (body === 'chunked') return [['transfer-encoding', 'chunked']];
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-length');
  return [['content-length', headers[at + 1]!]];
}
