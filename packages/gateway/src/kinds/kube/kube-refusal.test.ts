import { expect, test } from 'vitest';
import { AppError } from '../../platform/std/app-error.ts';
import { readKubeRequest } from './engine/kube-request.ts';
import { KubeRefusal, notSignedIn, objectRefused, statusBody, statusOf, warningOf } from './kube-refusal.ts';

test('a refused object is told as clusters tell it: what, where, by which rule, and under which id', () => {
  const request = readKubeRequest('GET', '/apis/apps/v1/namespaces/prod/deployments/api');
  const refused = objectRefused(request, "role 'dev' denies it by spec.deny.kubernetes_resources[0]");

  expect(JSON.parse(statusBody(statusOf(refused, 'r-7')).toString())).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message:
      'deployments.apps "api" is forbidden: get in the namespace "prod" is not for you: role \'dev\' denies it by spec.deny.kubernetes_resources[0] (request r-7)',
    reason: 'Forbidden',
    details: { name: 'api', group: 'apps', kind: 'deployments' },
    code: 403,
  });
});

test('a collection has no name, and a subresource its own', () => {
  const told = (method: string, target: string) => objectRefused(readKubeRequest(method, target), 'no role').status;

  expect(told('GET', '/api/v1/nodes')).toMatchObject({
    details: { kind: 'nodes' },
    message: expect.stringMatching(/^nodes is forbidden: list is/),
  });
  expect(told('POST', '/api/v1/namespaces/a/pods/web/exec').message).toMatch(/^pods\/exec "web" is forbidden: exec in/);
});

test.each([
  [new AppError('bad_request', 'wrong'), 400, 'BadRequest', 'wrong'],
  [new AppError('not_signed_in', 'sign in'), 401, 'Unauthorized', 'sign in'],
  [new AppError('denied', 'no'), 403, 'Forbidden', 'no'],
  [new AppError('mfa_required', 'a factor'), 403, 'Forbidden', 'a factor'],
  [new AppError('not_found', 'gone'), 404, 'NotFound', 'gone'],
  [new AppError('too_many', 'slower'), 429, 'TooManyRequests', 'slower'],
  [new AppError('not_available', 'later'), 503, 'ServiceUnavailable', 'later'],
  [new AppError('target_unreachable', 'no answer'), 504, 'Timeout', 'no answer'],
  [notSignedIn('no pass'), 401, 'Unauthorized', 'no pass'],
  [new KubeRefusal({ code: 406, message: 'only JSON' }), 406, 'NotAcceptable', 'only JSON'],
])('%s', (error, code, reason, message) => {
  expect(statusOf(error, 'r')).toEqual({ code, reason, message: `${message} (request r)` });
});

test('a mistake of ours keeps its words to itself', () => {
  for (const error of [
    new TypeError('secret of the inside'),
    new AppError('internal', 'secret'),
    'secret',
    undefined,
  ]) {
    expect(statusOf(error, 'r')).toMatchObject({ code: 500, reason: 'InternalError' });
    expect(statusBody(statusOf(error, 'r')).toString()).not.toContain('secret');
  }
});

test('a warning is what headers may hold, in quotes, and without an id', () => {
  expect(warningOf(new AppError('denied', 'no "x" \\ here,\r\nä'))).toBe('299 - "no \\"x\\" \\\\ here,???"');
  expect(warningOf(new TypeError('secret'))).not.toContain('secret');
  expect(warningOf(notSignedIn('x'.repeat(9_000))).length).toBeLessThan(600);
});
