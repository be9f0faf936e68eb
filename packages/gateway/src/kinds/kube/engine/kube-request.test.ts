import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../platform/std/app-error.ts';
import { type KubeRequest, readKubeRequest } from './kube-request.ts';

/** `verb group/resource/subresource namespace:name`, short enough for a table. */
function told({ about, verb, apiGroup, resource, subresource, namespace, name, selectedName }: KubeRequest): string {
  if (about === 'discovery') return 'discovery';
  const kind = [apiGroup, resource, subresource].filter((part) => part !== '').join('/');
  return `${verb} ${kind} ${namespace}:${name}${selectedName && ` only ${selectedName}`}`;
}

const NS = '/api/v1/namespaces/dev';
describe('what a request is about', () => {
  test.each([
    ['GET', '/api/v1/pods', 'list pods :'],
    ['GET', `${NS}/pods`, 'list pods dev:'],
    ['HEAD', `${NS}/pods`, 'list pods dev:'],
    ['GET', `${NS}/pods/web`, 'get pods dev:web'],
    ['HEAD', `${NS}/pods/web`, 'get pods dev:web'],
    ['POST', `${NS}/pods`, 'create pods dev:'],
    ['PUT', `${NS}/pods/web`, 'update pods dev:web'],
    ['PATCH', `${NS}/pods/web`, 'patch pods dev:web'],
    ['DELETE', `${NS}/pods/web`, 'delete pods dev:web'],
    ['DELETE', `${NS}/pods`, 'deletecollection pods dev:'],
    ['GET', '/apis/apps/v1/namespaces/dev/deployments/api', 'get apps/deployments dev:api'],
    ['PUT', '/apis/apps/v1/namespaces/dev/deployments/api/scale', 'update apps/deployments/scale dev:api'],
    ['GET', '/apis/example.com/v1beta1/widgets/one', 'get example.com/widgets :one'],
    [
      'GET',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
      'get rbac.authorization.k8s.io/clusterroles :system:node',
    ],
    // A namespace is an object like any other, outside namespaces.
    ['GET', '/api/v1/namespaces', 'list namespaces :'],
    ['POST', '/api/v1/namespaces', 'create namespaces :'],
    ['GET', NS, 'get namespaces :dev'],
    ['GET', `${NS}/status`, 'get namespaces/status :dev'],
    ['PUT', `${NS}/finalize`, 'update namespaces/finalize :dev'],
    ['GET', '/apis/apps/v1/namespaces/dev', 'get apps/namespaces :dev'],
    // Watches, in each spelling servers take for one.
    ['GET', `${NS}/pods?watch=1`, 'watch pods dev:'],
    ['GET', `${NS}/pods?watch=true`, 'watch pods dev:'],
    ['GET', `${NS}/pods?watch=True`, 'watch pods dev:'],
    ['GET', `${NS}/pods?watch`, 'watch pods dev:'],
    ['GET', `${NS}/pods?watch=`, 'watch pods dev:'],
    ['GET', `${NS}/pods?watch=t`, 'watch pods dev:'],
    ['GET', `${NS}/pods?watch=maybe`, 'watch pods dev:'],
    ['GET', `${NS}/pods?%77%61tch=1`, 'watch pods dev:'],
    ['GET', `${NS}/pods?watch=false`, 'list pods dev:'],
    ['GET', `${NS}/pods?watch=FALSE`, 'list pods dev:'],
    ['GET', `${NS}/pods?watch=0`, 'list pods dev:'],
    ['GET', '/api/v1/watch/pods', 'watch pods :'],
    ['GET', '/api/v1/watch/namespaces/dev/pods', 'watch pods dev:'],
    ['GET', '/api/v1/watch/namespaces/dev/pods?watch=0', 'watch pods dev:'],
    ['GET', '/api/v1/watch/namespaces/dev/pods/web', 'watch pods dev:web'],
    ['GET', '/api/v1/watch/namespaces/dev', 'watch namespaces :dev'],
    ['GET', '/apis/apps/v1/watch/namespaces/dev/deployments', 'watch apps/deployments dev:'],
    // A name is read once: of one object there is no list to watch.
    ['GET', `${NS}/pods/web?watch=1`, 'get pods dev:web'],
    ['GET', `${NS}/pods?watch=1&fieldSelector=metadata.name%3Dweb`, 'watch pods dev: only web'],
    ['GET', `${NS}/pods?fieldSelector=metadata.name==web`, 'list pods dev: only web'],
    ['GET', `${NS}/pods?fieldSelector=metadata.name=web,status.phase=Running`, 'list pods dev:'],
    ['GET', `${NS}/pods?fieldSelector=metadata.name!=web`, 'list pods dev:'],
    ['GET', `${NS}/pods?fieldSelector=metadata.name=web&fieldSelector=metadata.name=db`, 'list pods dev:'],
    ['DELETE', `${NS}/pods?fieldSelector=metadata.name=web`, 'deletecollection pods dev:'],
    // Subresources that run something or reach something.
    ['GET', `${NS}/pods/web/log?follow=true`, 'get pods/log dev:web'],
    ['POST', `${NS}/pods/web/exec?command=sh`, 'exec pods/exec dev:web'],
    ['GET', `${NS}/pods/web/exec?command=sh`, 'exec pods/exec dev:web'],
    ['POST', `${NS}/pods/web/attach`, 'exec pods/attach dev:web'],
    ['PATCH', `${NS}/pods/web/ephemeralcontainers`, 'exec pods/ephemeralcontainers dev:web'],
    ['PUT', `${NS}/pods/web/ephemeralcontainers`, 'exec pods/ephemeralcontainers dev:web'],
    ['POST', `${NS}/pods/web/portforward`, 'portforward pods/portforward dev:web'],
    ['GET', `${NS}/pods/web/proxy`, 'portforward pods/proxy dev:web'],
    ['OPTIONS', `${NS}/pods/web:8080/proxy/a/b/?c=d`, 'portforward pods/proxy dev:web'],
    ['GET', `${NS}/services/https:web:443/proxy/`, 'portforward services/proxy dev:web'],
    ['POST', `${NS}/services/web/proxy/x`, 'portforward services/proxy dev:web'],
    ['GET', '/api/v1/nodes/n1/proxy/metrics', 'proxy nodes/proxy :n1'],
    ['POST', '/api/v1/nodes/n1:10250/proxy/run/dev/web/c', 'proxy nodes/proxy :n1'],
    ['POST', `${NS}/pods/web/eviction`, 'delete pods/eviction dev:web'],
    ['POST', `${NS}/serviceaccounts/ci/token`, 'create serviceaccounts/token dev:ci'],
    // Words that objects in JavaScript have are no verbs.
    ['GET', `${NS}/pods/web/constructor`, 'get pods/constructor dev:web'],
    ['GET', '/version', 'discovery'],
    ['GET', '/api', 'discovery'],
    ['GET', '/api/v1', 'discovery'],
    ['GET', '/apis', 'discovery'],
    ['GET', '/apis/apps', 'discovery'],
    ['GET', '/apis/apps/v1', 'discovery'],
    ['GET', '/openapi/v3/apis/apps/v1', 'discovery'],
    ['HEAD', '/livez/ping', 'discovery'],
    ['GET', '/readyz?verbose', 'discovery'],
    ['GET', '/healthz', 'discovery'],
  ])('%s %s', (method, target, expected) => {
    const request = readKubeRequest(method, target);

    expect(told(request)).toBe(expected);
    expect(readKubeRequest(method, request.target)).toEqual(request);
  });
});

describe('what could be read in two ways is refused', () => {
  test.each([
    ['GET', 'api/v1/pods', 'slash'],
    ['GET', '', 'slash'],
    ['GET', '/', 'not served'],
    ['GET', '//api/v1/pods', 'not served'],
    ['GET', '/api//v1/pods', 'path'],
    ['GET', '/api/v1//pods', 'empty segment'],
    ['GET', '/api/v1/pods/', 'empty segment'],
    ['GET', '/api/', 'empty segment'],
    ['GET', '/api/v1/', 'empty segment'],
    ['GET', `${NS}//pods`, 'empty segment'],
    ['GET', `${NS}/pods//log`, 'empty segment'],
    ['GET', `${NS}/pods/web/log/`, 'below'],
    ['GET', '/api/v1/namespaces/dev/../prod/pods', 'dot segment'],
    ['GET', '/api/v1/namespaces/dev/%2e%2e/prod/pods', 'dot segment'],
    ['GET', '/api/v1/namespaces/./pods', 'dot segment'],
    ['GET', '/api/v1/namespaces/dev%2fpods/secrets', 'encoded slash'],
    ['GET', '/api/v1/namespaces/dev%2F..%2Fprod/pods', 'encoded slash'],
    ['GET', '/api/v1/namespaces/dev%5c/pods', 'backslash'],
    ['GET', '/api/v1/namespaces/dev\\/pods', 'backslash'],
    ['GET', '/api/v1/namespaces/%252e%252e/pods', 'encoded twice'],
    ['GET', `${NS}/pods/a%25b`, 'encoded twice'],
    ['GET', `${NS}/pods/a%00b`, 'control character'],
    ['GET', `${NS}/pods/a%0d%0aX: y`, 'percent-encoded'],
    ['GET', `${NS}/pods/a%0D%0Ab`, 'control character'],
    ['GET', `${NS}/pods/a%C2%85b`, 'control character'],
    ['GET', `${NS}/pods/a%7fb`, 'control character'],
    ['GET', `${NS}/pods/%ff`, 'UTF-8'],
    ['GET', `${NS}/pods/%c0%af`, 'UTF-8'],
    ['GET', `${NS}/pods/%ed%a0%80`, 'UTF-8'],
    ['GET', `${NS}/pods/a%2`, 'encodes nothing'],
    ['GET', `${NS}/pods/a%zz`, 'encodes nothing'],
    ['GET', `${NS}/pods/ä`, 'percent-encoded'],
    ['GET', `${NS}/pods/a b`, 'percent-encoded'],
    ['GET', `${NS}/pods/web#x`, 'fragment'],
    ['GET', `${NS}/pods?watch=0&watch=1`, 'watch in more than one way'],
    ['GET', `${NS}/pods?Watch=1`, 'watch in more than one way'],
    ['GET', `${NS}/pods?limit=1;watch=1`, 'semicolon'],
    ['GET', `${NS}/pods?a=%zz`, 'encodes nothing'],
    ['GET', `${NS}/pods?a=%ff`, 'UTF-8'],
    ['GET', `${NS}/pods?=x`, 'proper name'],
    ['GET', `${NS}/pods?a%0a=x`, 'proper name'],
    ['GET', '/api/v1/watch', 'names no resource'],
    ['DELETE', '/api/v1/watch/namespaces/dev/pods', 'only be read'],
    ['GET', '/api/v1/watch/namespaces/dev/pods/web/log', 'only be read'],
    ['GET', '/api/v1/proxy/namespaces/dev/pods/web', 'old proxy path'],
    ['GET', '/api/v1/proxy/nodes/n1/run', 'old proxy path'],
    ['GET', '/api/v1/Pods', "'Pods' cannot stand"],
    ['GET', '/api/v1/namespaces/Dev/pods', "'Dev' cannot stand"],
    ['GET', '/api/v1/namespaces/d*v/pods', "'d*v' cannot stand"],
    ['GET', '/api/v1/namespaces/d*v', "'d*v' cannot stand"],
    ['GET', '/apis/Apps/v1/deployments', "'Apps' cannot stand"],
    ['GET', '/api/v1/namespaces/dev/namespaces/prod', 'does not lie in another'],
    ['GET', `${NS}/pods/web/exec/more`, 'below'],
    ['GET', '/apis/example.com/v1/namespaces/dev/widgets/one/status/more', 'below'],
    ['GET', `${NS}/services/a:b:c:d/proxy/`, 'cannot stand'],
    ['GET', `${NS}/services/ftp:web:21/proxy/`, 'cannot stand'],
    ['GET', `${NS}/services/https::443/proxy/`, 'cannot stand'],
    ['GET', `${NS}/services/web/proxy//x`, 'empty segment'],
    ['GET', `${NS}/services/web/proxy/../x`, 'dot segment'],
    ['GET', `${NS}/services/web/proxy/%2e%2e/x`, 'dot segment'],
    ['PUT', `${NS}/pods/web/exec`, 'PUT is not served'],
    ['PUT', `${NS}/pods`, 'needs the name'],
    ['PATCH', `${NS}/pods`, 'needs the name'],
    ['OPTIONS', `${NS}/pods`, 'OPTIONS is not served'],
    ['CONNECT', `${NS}/pods/web`, 'CONNECT is not served'],
    ['constructor', `${NS}/pods/web`, 'constructor is not served'],
    ['TRACE', `${NS}/services/web/proxy/`, 'TRACE is not served'],
    ['POST', '/version', 'only be read'],
    ['POST', '/apis/apps/v1', 'only be read'],
    ['GET', '/metrics', 'not served'],
    ['GET', '/logs/kube-apiserver.log', 'not served'],
    ['GET', '/debug/pprof/', 'not served'],
    ['GET', '/versions', 'not served'],
    ['GET', '/oapi/v1/pods', 'not served'],
  ])('%s %s', (method, target, words) => {
    const read = () => readKubeRequest(method, target);

    expect(read).toThrow(AppError);
    expect(read).toThrow(words);
  });
});

test('a query without end is refused', () => {
  expect(() => readKubeRequest('GET', `${NS}/pods?${'a&'.repeat(1_001)}`)).toThrow('more than 1000');
});

test('the query keeps its order and its repetitions, and is written in one way', () => {
  const { target, query } = readKubeRequest(
    'POST',
    `${NS}/pods/web/exec?command=sh&command=-c&&command=a%0Ab+c%26d&stdin`,
  );

  expect(query.map(([, value]) => value)).toEqual(['sh', '-c', 'a\nb c&d', '']);
  expect(target).toBe(`${NS}/pods/web/exec?command=sh&command=-c&command=a%0Ab%20c%26d&stdin=`);
});

test('a watch is written so that every server reads it', () => {
  expect(readKubeRequest('GET', `${NS}/pods?a=1&watch&b=2`).target).toBe(`${NS}/pods?a=1&watch=true&b=2`);
  expect(readKubeRequest('GET', `${NS}/pods?watch=0`).target).toBe(`${NS}/pods`);
});

const plain = fc.constantFrom('namespaces', 'pods', 'web', 'watch', 'proxy', 'exec', 'log', 'status', 'dev', 'nodes');
const odd = fc.oneof(
  { weight: 9, arbitrary: plain },
  fc.constantFrom('..', '.', '%2e', '%2F', '%252f', '%', '%41', 'a:b', '', '\\', '%00', '%C3%A4', '%3b', '+', '*', "'"),
);
const pairs = fc.array(fc.tuple(fc.constantFrom('watch', '%77atch', 'a', 'fieldSelector'), odd), { maxLength: 3 });

test('whatever is taken reads the same once it is written, and has nothing left that could be read otherwise', () => {
  let taken = 0;
  fc.assert(
    fc.property(
      fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
      fc.constantFrom('/api/v1/', '/apis/apps/v1/', '/'),
      fc.array(odd, { minLength: 1, maxLength: 7 }),
      pairs,
      (method, prefix, path, query) => {
        const raw = `${prefix}${path.join('/')}?${query.map((pair) => pair.join('=')).join('&')}`;
        let request: KubeRequest;
        try {
          request = readKubeRequest(method, raw);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          return;
        }
        taken += 1;
        expect(readKubeRequest(method, request.target)).toEqual(request);
        const [sent = ''] = request.target.split('?');
        // The reading of a server: decode once, split at slashes.
        const parts = decodeURIComponent(sent).slice(1).split('/');
        expect(parts).not.toContain('..');
        if (request.about === 'resource' && request.subresource !== 'proxy') expect(parts).not.toContain('');
        expect(sent).not.toMatch(/%25|%2[fF]|%5[cC]|[\\;#]/);
        for (const word of [request.namespace, request.resource, request.name])
          if (word) expect(decodeURIComponent(sent)).toContain(word);
      },
    ),
    { numRuns: 2_000, seed: 20 },
  );
  expect(taken).toBeGreaterThan(100);
});
