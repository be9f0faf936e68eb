/** A made-up event of every type: for the documentation, for tests, and for filling a log to try it. Not for the console. */
import type { z } from 'zod';
import type { EventType } from '../../src/events/define-event.ts';
import { SAMPLE_EXCEPTIONS, SAMPLE_NAMES, SAMPLE_VALUES } from './sample-values.ts';

/** Told only when something went wrong. */
const OF_FAILURE = ['error', 'exitError'];
/** Of sessions with Kubernetes alone; a sample of a session is one with a node. */
const KUBE_FIELD = /^kubernetes_/;

/** As it stands on the wire. */
export function sampleEvent(type: EventType): Record<string, unknown> {
  return {
    ei: 0,
    event: type.event,
    code: type.code,
    time: '2026-03-04T05:06:07.000Z',
    uid: `00000000-0000-4000-8000-${type.code.padStart(12, '0').toLowerCase()}`,
    cluster_name: 'gate.example.com',
    ...sampleFields(type),
  };
}

/** Fields without a sample value are left out: whoever adds a required one adds its sample. */
export function sampleFields(type: EventType): Record<string, unknown> {
  const failed = type.severity !== 'info';
  const exceptions = SAMPLE_EXCEPTIONS[type.code] ?? {};
  const values = Object.entries(type.fields.shape).map(([name, schema]) => {
    if (name in exceptions) return [name, exceptions[name]];
    if (name === 'success') return [name, !failed];
    if (KUBE_FIELD.test(name) && !type.event.startsWith('kube.')) return [name, undefined];
    if (OF_FAILURE.includes(name) && !failed) return [name, undefined];
    const named = type.about.find((about) => about.name === name);
    const candidates = [...(named ? [SAMPLE_NAMES[named.kind]] : []), ...(SAMPLE_VALUES[name] ?? [])];
    return [name, candidates.find((value) => value !== undefined && (schema as z.ZodType).safeParse(value).success)];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
