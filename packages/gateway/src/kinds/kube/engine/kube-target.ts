/**
 * The target of a request to a Kubernetes cluster, taken apart once and written out again. A path that one side reads
 * otherwise than the other is a way past every rule, so whatever could be read in two ways is refused.
 */
import { AppError } from '../../../platform/std/app-error.ts';

export type QueryPair = readonly [key: string, value: string];

export interface KubeTarget {
  /** Decoded once; none is empty but the last one of a proxied path. */
  segments: readonly string[];
  query: readonly QueryPair[];
}

const MAX_PAIRS = 1_000;
const VISIBLE = /^[\x21-\x7e]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/;
const LONE_PERCENT = /%(?![0-9A-Fa-f]{2})/;

export function readTarget(raw: string): KubeTarget {
  if (!VISIBLE.test(raw)) throw refusal('it has characters that must be percent-encoded');
  if (!raw.startsWith('/')) throw refusal('its path does not begin with a slash');
  if (raw.includes('#')) throw refusal('it has a fragment');
  const cut = raw.indexOf('?');
  const path = cut < 0 ? raw : raw.slice(0, cut);
  return {
    segments: path.slice(1).split('/').map(readSegment),
    query: cut < 0 ? [] : readQuery(raw.slice(cut + 1)),
  };
}

export function writeTarget({ segments, query }: KubeTarget): string {
  const path = segments.map((segment) => `/${encodeURIComponent(segment).replaceAll('%3A', ':')}`).join('');
  if (query.length === 0) return path;
  return `${path}?${query.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join('&')}`;
}

function readSegment(raw: string): string {
  const segment = decode(raw);
  if (segment.includes('/')) throw refusal('its path has an encoded slash');
  if (segment.includes('\\')) throw refusal('its path has a backslash');
  // Whoever decodes a second time would see something else.
  if (segment.includes('%')) throw refusal('its path is encoded twice');
  if (segment === '.' || segment === '..') throw refusal('its path has a dot segment');
  if (CONTROL.test(segment)) throw refusal('its path has a control character');
  return segment;
}

/** Values may have line breaks: commands of exec do. */
function readQuery(raw: string): QueryPair[] {
  // Servers before Go 1.17 part pairs at semicolons, later ones drop the pair.
  if (raw.includes(';')) throw refusal('its query has a semicolon that is not encoded');
  const pairs = raw.split('&').filter((pair) => pair !== '');
  if (pairs.length > MAX_PAIRS) throw refusal(`its query has more than ${MAX_PAIRS} values`);
  return pairs.map((pair) => {
    const cut = pair.indexOf('=');
    const key = decode((cut < 0 ? pair : pair.slice(0, cut)).replaceAll('+', ' '));
    if (key === '' || CONTROL.test(key)) throw refusal('its query has a value without a proper name');
    return [key, cut < 0 ? '' : decode(pair.slice(cut + 1).replaceAll('+', ' '))];
  });
}

function decode(raw: string): string {
  if (!raw.includes('%')) return raw;
  if (LONE_PERCENT.test(raw)) throw refusal('it has a percent sign that encodes nothing');
  try {
    return decodeURIComponent(raw);
  } catch {
    throw refusal('it encodes what is not UTF-8');
  }
}

export function refusal(what: string): AppError {
  return new AppError('bad_request', `The request cannot be sent to the cluster: ${what}`);
}
