/**
 * JSON of a cluster, measured before it is parsed: what is a few megabytes of nothing but brackets would keep the gateway from everybody
 * else for seconds, and what is nested without end can be parsed and not written again.
 */
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { KubeFailure } from './kube-failure.ts';

/** Of a page of five hundred rows with all that is said about them: a tenth. */
export const MAX_VALUES = 1_000_000;
/** What people write has ten; definitions of other kinds some tens. */
export const MAX_DEPTH = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_FIELDS = 0x7b;
const CLOSE_FIELDS = 0x7d;

/** Undefined where it is no JSON. */
export function parseBounded(bytes: Buffer): unknown {
  if (isBeyond(bytes)) throw new KubeFailure(0, 'TooLarge', "the cluster's answer has more in it than can be meant");
  return parseJson(bytes);
}

function isBeyond(bytes: Buffer): boolean {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfText(bytes, at);
    } else if (byte === COMMA) {
      values += 1;
    } else if (byte === OPEN_LIST || byte === OPEN_FIELDS) {
      values += 1;
      depth += 1;
    } else if (byte === CLOSE_LIST || byte === CLOSE_FIELDS) {
      depth -= 1;
    }
    if (depth > MAX_DEPTH || values > MAX_VALUES) return true;
  }
  return false;
}

/** Where the text that begins here has its other quote; the end of all where it has none. */
function endOfText(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return bytes.length;
}
