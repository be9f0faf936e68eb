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

export const labelKey = z.string().regex(/^[A-Za-z0-9*][A-Za-z0-9._/:-]{0,255}$/, 'is no label name');
export const labelValue = z.string().max(1024).refine(isLineText, STEERING);
export const resourceLabels = z
  .record(labelKey, labelValue)
  .refine((labels) => Object.keys(labels).length <= 128, 'has more than 128 labels');
