/** Fields that resources of any kind have. */
import { z } from 'zod';
import { isLineText, STEERING } from './line-text.ts';

/** Names, IPv4 and bracketed IPv6 addresses, each with a port. */
export const hostPort = z
  .string()
  .max(300)
  .regex(
    /^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?):([1-9]\d{0,4})$/,
    'must be HOST:PORT',
  )
  .refine((text) => Number(text.slice(text.lastIndexOf(':') + 1)) <= 65_535, 'has a port above 65535');

/** The name of what is reached by a host name of its own: a DNS label that begins with a letter. */
export const hostLabel = z
  .string()
  .max(63, 'must have at most 63 characters: it becomes part of a host name')
  .regex(
    /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/,
    'must be lower-case letters, digits and dashes, beginning with a letter: it becomes part of a host name',
  );

/** A name of the DNS, never an address. */
export const hostName = z
  .string()
  .max(253)
  .regex(
    /^(?=.*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/,
    'must be a host name in lower case, without scheme and port',
  );

export const pemCertificates = z
  .string()
  .max(64 * 1024)
  .refine((text) => text.includes('-----BEGIN CERTIFICATE-----'), 'holds no PEM certificate');

export const labelKey = z.string().regex(/^[A-Za-z0-9*][A-Za-z0-9._/:-]{0,255}$/, 'is no label name');
export const labelValue = z.string().max(1024).refine(isLineText, STEERING);
export const resourceLabels = z
  .record(labelKey, labelValue)
  .refine((labels) => Object.keys(labels).length <= 128, 'has more than 128 labels');
