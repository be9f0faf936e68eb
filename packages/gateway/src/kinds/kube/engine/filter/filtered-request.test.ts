import { expect, test } from 'vitest';
import { readKubeRequest } from '../kube-request.ts';
import { filteredRequest, isFilterable, reduceAccept } from './filtered-request.ts';

const KUBECTL =
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';

test.each([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  [KUBECTL, KUBECTL],
  ['application/vnd.kubernetes.protobuf, application/json', 'application/json'],
  [
    'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
  ],
  ['application/yaml, */*;q=0.8', 'application/json;q=0.8'],
  ['Application/JSON; as=Table; v=v1; g=meta.k8s.io', 'application/json;as=Table;v=v1;g=meta.k8s.io'],
  ['application/vnd.kubernetes.protobuf', undefined],
  ['application/cbor,application/yaml', undefined],
  ['application/json;as=Secret;v=v1;g=x', undefined],
  ['application/json;stream=watch', undefined],
  ['application/json;q=0', undefined],
  ['text/html', undefined],
])('of %s only what can be filtered is asked for', (accept, expected) => {
  expect(reduceAccept(accept)).toBe(expected);
});

test('it is asked for as it is, with what decides about each row', () => {
  const request = readKubeRequest('GET', '/api/v1/pods?limit=500&includeObject=None&watch=1');
  const filtered = filteredRequest(request, [
    ['accept', 'application/yaml,application/json'],
    ['accept-encoding', 'gzip'],
    ['user-agent', 'kubectl'],
  ]);

  expect(filtered).toEqual({
    target: '/api/v1/pods?limit=500&watch=true',
    headers: [
      ['accept', 'application/json'],
      ['user-agent', 'kubectl'],
      ['accept-encoding', 'identity'],
    ],
  });
  expect(filteredRequest(request, [['accept', 'application/vnd.kubernetes.protobuf']])).toBeUndefined();
});

test('an answer in another form is not filtered', () => {
  expect(isFilterable('application/json', undefined)).toBe(true);
  expect(isFilterable('application/json;charset=utf-8', 'identity')).toBe(true);
  expect(isFilterable('application/vnd.kubernetes.protobuf', undefined)).toBe(false);
  expect(isFilterable('application/json', 'gzip')).toBe(false);
  expect(isFilterable(undefined, undefined)).toBe(false);
});
