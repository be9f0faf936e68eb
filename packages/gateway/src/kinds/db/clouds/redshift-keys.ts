/** Asks Redshift for a user and a password that are good for a quarter of an hour. */

import { type AwsKeys, signedHeaders } from '@gatehouse/tunnel/aws/sign-aws';
import { z } from 'zod';
import { AppError } from '../../../platform/std/app-error.ts';
import type { BoundedFetch } from '../../../reach/direct/bounded-fetch.ts';

export interface RedshiftWanted {
  region: string;
  /** Undefined: that of the region. */
  endpoint: string | undefined;
  clusterId: string;
  dbUser: string;
  dbName: string;
}

export interface IssuedPassword {
  /** As the database calls who signs in with it: `IAM:app` of Redshift. */
  user: string;
  password: string;
}

const SECONDS = 900;
const issued = z.object({ user: z.string().min(1).max(256), password: z.string().min(1).max(1_024) });

export async function redshiftPassword(
  fetch: BoundedFetch,
  wanted: RedshiftWanted,
  keys: AwsKeys,
  now: number,
): Promise<IssuedPassword> {
  const { region, clusterId, dbUser, dbName } = wanted;
  const zone = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = new URL(wanted.endpoint ?? `https://redshift.${region}.${zone}/`);
  const body = new URLSearchParams({
    ...{ Action: 'GetClusterCredentials', Version: '2012-12-01', ClusterIdentifier: clusterId, DbUser: dbUser },
    ...(dbName === '' ? {} : { DbName: dbName }),
    ...{ DurationSeconds: String(SECONDS), AutoCreate: 'false' },
  }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  const signed = signedHeaders({ method: 'POST', url, body, headers }, { keys, region, service: 'redshift', now });
  const { ok, status, text } = await ask(fetch, url, signed, body);
  if (!ok) throw refused(text, status, clusterId);
  const read = issued.safeParse({ user: field(text, 'DbUser'), password: field(text, 'DbPassword') });
  if (!read.success) throw new AppError('target_unreachable', 'Redshift answered without a password');
  return read.data;
}

async function ask(fetch: BoundedFetch, url: URL, headers: Readonly<Record<string, string>>, body: string) {
  try {
    const answer = await fetch(url, { method: 'POST', headers, body });
    return { ok: answer.ok, status: answer.status, text: await answer.text() };
  } catch (error) {
    throw new AppError('target_unreachable', `the API of Redshift at ${url.host} does not answer`, { cause: error });
  }
}

function refused(text: string, status: number, clusterId: string): AppError {
  const code = field(text, 'Code') ?? String(status);
  const said = (field(text, 'Message') ?? '').slice(0, 500);
  const why = said === '' ? code : `${code}: ${said}`;
  if (status >= 500) return new AppError('target_unreachable', `the API of Redshift failed: ${why}`);
  return new AppError('denied', `AWS gives no password for the cluster '${clusterId}': ${why}`, {
    fields: { next: 'allow the gateway redshift:GetClusterCredentials for this user and database' },
  });
}

/** One element without attributes, as AWS writes them. */
function field(xml: string, name: string): string | undefined {
  const [, inside] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return inside?.replaceAll(/&(amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});/g, (whole, entity: string) => {
    if (!entity.startsWith('#')) return ENTITIES[entity] ?? whole;
    const code = entity.startsWith('#x') ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
