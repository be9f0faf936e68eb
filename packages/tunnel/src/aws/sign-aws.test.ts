/** Signatures that AWS publishes, and one that its own library makes. */
import { expect, test } from 'vitest';
import { presigned, signedHeaders } from './sign-aws.ts';

test('a request is signed as in the suite that AWS publishes', () => {
  const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
  const by = { keys, region: 'us-east-1', service: 'service', now: Date.UTC(2015, 7, 30, 12, 36) };
  const url = new URL('https://example.amazonaws.com/');

  expect(signedHeaders({ method: 'GET', url, body: '' }, by).authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  );
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const posted = signedHeaders({ method: 'POST', url, body: 'Param1=value1', headers }, by);
  expect(posted.authorization).toContain(
    'SignedHeaders=content-type;host;x-amz-date, Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  );
});

test('an address is signed as in the documents of AWS', () => {
  const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
  const by = { keys, region: 'us-east-1', service: 's3', now: Date.UTC(2013, 4, 24) };
  const host = 'examplebucket.s3.amazonaws.com';
  const wanted = { host, path: '/test.txt', query: {}, seconds: 86_400, body: 'UNSIGNED-PAYLOAD' };

  expect(presigned(wanted, by)).toBe(
    `${host}/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`,
  );
});

test('signing in to RDS is signed as its own library does it', () => {
  const keys = {
    ...{ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
    sessionToken: 'to/ken+==',
  };
  const by = { keys, region: 'eu-central-1', service: 'rds-db', now: Date.UTC(2026, 0, 2, 3, 4, 5) };
  const host = 'shop.abc123.eu-central-1.rds.amazonaws.com:5432';
  const token = presigned({ host, query: { Action: 'connect', DBUser: "ap p'1" }, seconds: 900 }, by);

  expect(token).toContain(`${host}/?Action=connect&DBUser=ap%20p%271&X-Amz-Algorithm=AWS4-HMAC-SHA256`);
  expect(token).toContain('&X-Amz-Security-Token=to%2Fken%2B%3D%3D&');
  expect(token.slice(-64)).toBe('ccfcd6332b46211bd71ca7a76b02e35d13a9d5a965b6ee4997dda1efa3a7503c');
});
