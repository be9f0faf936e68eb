import { describe, expect, test } from 'vitest';
import { readSimpleHead } from './fast-path-head.ts';

const read = (text: string) => readSimpleHead(Buffer.from(text, 'latin1'), undefined);
const get = (lines: string) => `GET /a?b=c HTTP/1.1\r\nHost: app.localhost\r\n${lines}\r\n`;

test('a plain request is read with its headers as they came', () => {
  expect(
    read('HEAD /x HTTP/1.1\r\nHost: a\r\nX-Empty:\r\nX-Wide: \t b c\t \r\nConnection: Keep-Alive\r\n\r\n'),
  ).toMatchObject({
    method: 'HEAD',
    url: '/x',
    headers: { raw: ['Host', 'a', 'X-Empty', '', 'X-Wide', 'b c', 'Connection', 'Keep-Alive'] },
  });
});

test('the same headers are read once, others anew', () => {
  const first = read(get('X-A: b\r\n'));
  const again = readSimpleHead(Buffer.from(get('X-A: b\r\n').replace('/a?b=c', '/other')), first?.headers);
  const other = readSimpleHead(Buffer.from(get('X-A: c\r\n')), first?.headers);

  expect(again?.url).toBe('/other');
  expect(again?.headers).toBe(first?.headers);
  expect(other?.headers.raw).toContain('c');
});

describe('left to the reader of Node is', () => {
  test.each([
    ['half a head', 'GET / HTTP/1.1\r\nHost: a\r\n'],
    ['a head without its last byte', 'GET / HTTP/1.1\r\nHost: a\r\n\r'],
    ['half a first line', 'GET / HT'],
    ['no header at all', 'GET / HTTP/1.1\r\n\r\n'],
    ['two requests at once', get('') + get('')],
    ['a byte behind the end', `${get('')}x`],
    ['an empty line before it', `\r\n${get('')}`],
    ['another method', get('').replace('GET', 'POST')],
    ['a method in lower case', get('').replace('GET', 'get')],
    ['an older version', get('').replace('HTTP/1.1', 'HTTP/1.0')],
    ['two spaces in the first line', get('').replace('GET ', 'GET  ')],
    ['a tab in the first line', get('').replace(' HTTP', '\tHTTP')],
    ['a whole address', get('').replace('/a', 'http://x/a')],
    ['an address with a space', get('').replace('/a', '/a b')],
    ['an address with a bare line feed', get('').replace('/a', '/a\nb')],
    ['an address beyond ASCII', get('').replace('/a', '/\xe4')],
    ['a length', get('Content-Length: 0\r\n')],
    ['a length with an underscore', get('Content_Length: 5\r\n')],
    ['a coding', get('transfer-ENCODING: chunked\r\n')],
    ['an upgrade', get('Upgrade: websocket\r\n')],
    ['an expectation', get('Expect: 100-continue\r\n')],
    ['a connection that ends', get('Connection: close\r\n')],
    ['a connection that takes headers off', get('Connection: keep-alive, X-A\r\n')],
    ['a space before the colon', get('X-A : b\r\n')],
    ['no name', get(': b\r\n')],
    ['no colon', get('abc\r\n')],
    ['a folded line', get('X-A: b\r\n c\r\n')],
    ['a bare line feed', get('X-A: b\nX-B: c\r\n')],
    ['a bare carriage return', get('X-A: b\rc\r\n')],
    ['a NUL', get('X-A: b\0\r\n')],
    ['a value beyond ASCII', get('X-A: \xa0\r\n')],
    ['lines that end in a line feed alone', get('').replaceAll('\r\n', '\n')],
    ['a very long head', get(`X-A: ${'b'.repeat(9_000)}\r\n`)],
    ['very many headers', get('X-A: b\r\n'.repeat(200))],
  ])('%s', (_name, text) => {
    expect(read(text)).toBeUndefined();
  });
});
