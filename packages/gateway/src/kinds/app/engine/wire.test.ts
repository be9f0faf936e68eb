import { describe, expect, test } from 'vitest';
import { ChunkedBody } from '../../../reach/http/chunked-body.ts';
import { parseResponseHead } from '../../../reach/http/response-head.ts';
import { UpstreamFault } from '../../../reach/http/upstream-fault.ts';
import { readAppCookies, readRequest } from './read-request.ts';
import { writeRequestHead } from './request-head.ts';
import { passHeaders } from './response-rules.ts';

describe('the head of an answer', () => {
  test('is read with its framing', () => {
    const length = parseResponseHead('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b', 'GET');
    const chunked = parseResponseHead('HTTP/1.1 200 \r\ntransfer-encoding: Chunked', 'GET');
    const close = parseResponseHead('HTTP/1.0 200 OK', 'GET');
    const none = parseResponseHead('HTTP/1.1 304 Not Modified\r\ncontent-length: 9', 'GET');

    expect(length).toMatchObject({ status: 200, body: 'length', length: 5, keepAlive: true });
    expect(length.headers).toEqual(['content-length', '5', 'x-a', 'b']);
    expect([chunked.body, close.body, close.keepAlive, none.body]).toEqual(['chunked', 'close', false, 'none']);
    expect(parseResponseHead('HTTP/1.1 200 OK\r\ncontent-length: 5', 'HEAD').body).toBe('none');
  });

  test('without a body by its status announces none', () => {
    const none = parseResponseHead('HTTP/1.1 204 X\r\ncontent-length: 9\r\nx-a: b', 'GET');
    const reset = parseResponseHead('HTTP/1.1 205 X\r\ncontent-length: 9', 'GET');

    expect([none.body, none.headers]).toEqual(['none', ['x-a', 'b']]);
    expect([reset.body, reset.headers, reset.keepAlive]).toEqual(['none', ['content-length', '0'], false]);
  });

  test.each([
    ['a status that is none', 'HTTP/1.1 600 X'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6'],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked'],
    ['a list of lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 5, 5'],
    ['a signed length', 'HTTP/1.1 200 OK\r\ncontent-length: +5'],
    ['a hexadecimal length', 'HTTP/1.1 200 OK\r\ncontent-length: 0x5'],
    ['another coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked'],
    ['chunked twice', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked'],
    ['a folded line', 'HTTP/1.1 200 OK\r\nx-a: b\r\n c'],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\ncontent-length : 5'],
    ['a bare line feed', 'HTTP/1.1 200 OK\r\nx-a: b\nx-c: d'],
    ['a bare carriage return', 'HTTP/1.1 200 OK\r\nx-a: b\rx-c: d'],
    ['a NUL', 'HTTP/1.1 200 OK\r\nx-a: b\0c'],
    ['a name with a tab', 'HTTP/1.1 200 OK\r\nx\ta: b'],
    ['no name', 'HTTP/1.1 200 OK\r\n: b'],
    ['a line without a colon', 'HTTP/1.1 200 OK\r\nabc'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2'],
    ['another version', 'HTTP/2 200 OK'],
    ['a short status', 'HTTP/1.1 20 OK'],
  ])('with %s is refused', (_, text) => {
    expect(() => parseResponseHead(text, 'GET')).toThrow(UpstreamFault);
  });
});

describe('chunks', () => {
  const whole = '4\r\nWiki\r\n6;a=b\r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\nx: y\r\n\r\nHTTP/1.1 200';

  test('come out as the body however they are cut, and what follows is left', () => {
    for (let size = 1; size <= whole.length; size++) {
      const body = new ChunkedBody();
      let text = '';
      let used = 0;
      for (let at = 0; at < whole.length && !body.done; at += size) {
        used += body.take(Buffer.from(whole.slice(at, at + size)), (data) => {
          text += data.toString();
        });
      }
      expect([text, body.done, whole.slice(used)]).toEqual(['Wikipedia in \r\n\r\nchunks.', true, 'HTTP/1.1 200']);
    }
  });

  test.each([
    ['no size', '\r\nabc'],
    ['a negative size', '-1\r\nabc'],
    ['a size with 0x', '0x4\r\nWiki\r\n'],
    ['a size with a sign', '+4\r\nWiki\r\n'],
    ['a size with a space', '4 \r\nWiki\r\n'],
    ['a bare line feed', '4\nWiki\r\n'],
    ['another size than said', '4\r\nWikis\r\n'],
    ['a size beyond all', 'FFFFFFFFFFFFFFFFF\r\n'],
    ['a bare carriage return', '4;a\rb\r\nWiki\r\n'],
  ])('with %s are refused', (_, text) => {
    expect(() => new ChunkedBody().take(Buffer.from(text), () => {})).toThrow(UpstreamFault);
  });
});

describe('a request', () => {
  const rules = {
    host: 'inside:80',
    reserved: new Set(['x-remote-name']),
    lines: () => 'x-forwarded-for: 1.2.3.4\r\n',
  };
  const head = (raw: string[], over: object = {}) =>
    writeRequestHead(
      { method: 'GET', url: '/a?b', raw, facts: readRequest(raw), cookie: '', body: 'none', ...over },
      rules,
    );

  test('carries what the client sent, and the gateway’s own words instead of the client’s', () => {
    const text = head([
      'Host',
      'a.example',
      'Accept',
      'x',
      'X-Forwarded-For',
      '6.6.6.6',
      'x_forwarded_for',
      '6.6.6.6',
      'X-Remote-Name',
      'root',
      'x_remote_name',
      'root',
      'Gatehouse_Jwt-Assertion',
      'forged',
      'X-Original-URL',
      '/admin',
      'Connection',
      'keep-alive, X-Hop',
      'X-Hop',
      '1',
      'TE',
      'trailers',
      'Cookie',
      'a=b',
    ]);

    expect(text).toBe('GET /a?b HTTP/1.1\r\nhost: inside:80\r\nAccept: x\r\nx-forwarded-for: 1.2.3.4\r\n\r\n');
  });

  test('loses what its Connection headers name, and nothing that the gateway says itself', () => {
    const names = 'x-forwarded-for, Content-Length,host ,COOKIE, transfer-encoding';
    const raw = [
      'Host',
      'a',
      'Connection',
      names,
      'connection',
      'X-Hop',
      'x-HOP',
      '1',
      'Content-Length',
      '5',
      'X-End',
      '2',
    ];

    expect(head(raw, { cookie: 'a=b', body: 'length' })).toBe(
      'GET /a?b HTTP/1.1\r\nhost: inside:80\r\nX-End: 2\r\ncookie: a=b\r\nx-forwarded-for: 1.2.3.4\r\ncontent-length: 5\r\n\r\n',
    );
  });

  test.each([
    ['two hosts', ['Host', 'a', 'Host', 'b'], { host: undefined }],
    ['no host', ['Accept', 'x'], { host: undefined }],
    ['two lengths', ['Host', 'a', 'Content-Length', '1', 'content-length', '1'], { ambiguous: true }],
    ['a length and chunks', ['Host', 'a', 'Content-Length', '1', 'Transfer-Encoding', 'chunked'], { ambiguous: true }],
    ['another coding', ['Host', 'a', 'Transfer-Encoding', 'xchunked'], { ambiguous: true }],
    ['a host with a port and a dot', ['host', 'A.Example.:8080'], { host: 'a.example' }],
  ])('with %s is seen as such', (_, raw, facts) => {
    expect(readRequest(raw)).toMatchObject(facts);
  });

  test('gives our cookies to nobody, and believes none of two', () => {
    const both = 'x=1; __Host-grv_app_session=aa; y=2; __Host-grv_app_session_subject=bb; gatehouse_launch=z';

    expect(readAppCookies(both, '__Host-')).toEqual({ session: 'aa', subject: 'bb', rest: 'x=1; y=2' });
    expect(readAppCookies(`${both}; __Host-grv_app_session=cc`, '__Host-').session).toBe('');
    // Over TLS the bare names could have been planted by a neighbour.
    expect(readAppCookies('grv_app_session=aa; grv_app_session_subject=bb', '__Host-')).toEqual({
      session: '',
      subject: '',
      rest: '',
    });
  });
});

describe('an answer', () => {
  const rules = {
    origin: 'https://app.gate.example',
    appHost: 'app.gate.example',
    inside: new Set(['10.0.0.5:8080', 'old.example']),
    gatewayHost: 'gate.example',
  };

  test.each([
    ['http://10.0.0.5:8080/login?x=1', 'https://app.gate.example/login?x=1'],
    ['https://old.example', 'https://app.gate.example'],
    ['http://10.0.0.5/other-port', 'http://10.0.0.5/other-port'],
    ['https://sso.example/login', 'https://sso.example/login'],
    ['http://10.0.0.5:8080@evil.example/', 'http://10.0.0.5:8080@evil.example/'],
    ['/relative', '/relative'],
    ['//10.0.0.5:8080/x', '//10.0.0.5:8080/x'],
  ])('that leads to %s leads to %s', (given, wanted) => {
    expect(passHeaders(['location', given], rules)).toEqual(['location', wanted]);
  });

  test.each([
    ['own=1; Path=/', 'own=1; Path=/'],
    // What stands below it is another's: an application of a leaf that has its name.
    ['own=1; Domain=app.gate.example; Path=/', 'own=1; Path=/'],
    ['own=1; Domain=gate.example; Path=/', 'own=1; Path=/'],
    ['own=1; domain = .gate.example', 'own=1'],
    ['own=1; Domain=10.0.0.5', 'own=1'],
    ['__Host-grv_app_session=planted; Path=/', undefined],
    ['grv_app_session_subject=planted', undefined],
  ])('that sets %j sets %j', (given, wanted) => {
    expect(passHeaders(['set-cookie', given], rules)).toEqual(wanted === undefined ? [] : ['set-cookie', wanted]);
  });

  test("that set cookies keep their domain where the host is nobody else's, and not where others stand under it", () => {
    const cookie = (domain: string, appHost: string) =>
      passHeaders(['set-cookie', `a=1; Domain=${domain}`], { ...rules, appHost })[1];

    expect(cookie('corp.example', 'wiki.corp.example')).toBe('a=1; Domain=corp.example');
    expect(cookie('east.gate.example', 'wiki.east.gate.example')).toBe('a=1');
    expect(cookie('wiki.east.gate.example', 'wiki.east.gate.example')).toBe('a=1');
  });

  test.each([
    [
      ['connection', 'close, X-Hop', 'x-hop', '1', 'x-end', '2'],
      ['x-end', '2'],
    ],
    [
      ['x-hop', '1', 'connection', 'x-hop', 'connection', 'X-Other ,', 'x-other', '2', 'x-end', '3'],
      ['x-end', '3'],
    ],
    [
      ['connection', 'Keep-Alive', 'x-end', '1'],
      ['x-end', '1'],
    ],
    // Where it ends is not for the application to take back.
    [
      ['connection', 'content-length', 'content-length', '5'],
      ['content-length', '5'],
    ],
  ])('with %j goes on with %j: what is meant for one connection stays there', (given, wanted) => {
    expect(passHeaders(given, rules)).toEqual(wanted);
  });
});
