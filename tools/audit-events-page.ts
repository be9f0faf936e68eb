/** `node tools/audit-events-page.ts`: writes docs/audit-events.md from the catalogue of events. A test fails while the page is older. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CatalogueEntry, EVENT_TYPES } from '@gatehouse/contract/audit/catalogue';
import { EVENT_FAMILIES, type EventFamily } from '@gatehouse/contract/audit/event-families';
import { tellEvent } from '@gatehouse/contract/audit/tell-event';
import * as blocks from '@gatehouse/contract/events/event-fields';
import { sampleEvent } from '@gatehouse/contract/testing/audit/sample-event';
import { z } from 'zod';

export const PAGE = resolve(import.meta.dirname, '../docs/audit-events.md');

/** Blocks of fields that are told once, larger ones first because some hold others. */
const BLOCKS = [
  ['who', blocks.byUser],
  ['session', blocks.session],
  ['server', blocks.server],
  ['pod', blocks.kubePod],
  ['cluster', blocks.kubeCluster],
  ['connection', blocks.connection],
  ['status', blocks.status],
  ['record', blocks.resource],
  ['database', blocks.database],
  ['application', blocks.application],
] as const;

export function auditEventsPage(): string {
  const families = Object.keys(EVENT_FAMILIES) as EventFamily[];
  return [
    '# Audit events',
    '',
    '<!-- Written by tools/audit-events-page.ts from packages/contract/src/audit; change it there. -->',
    '',
    ...INTRODUCTION,
    '| Block | Fields |',
    '|---|---|',
    ...BLOCKS.map(([name, shape]) => row([`*${name}*`, fieldList(shape)])),
    '',
    ...families.flatMap(familySection),
  ].join('\n');
}

const INTRODUCTION = [
  `${EVENT_TYPES.length} types of event in ${Object.keys(EVENT_FAMILIES).length} families. A code ends in its severity: \`I\` for information,`,
  '`W` for a warning, `E` for an error. Codes that begin with `GH` are ours alone. Several codes may share one event name:',
  'searching by name finds all of them. A code that is not on this page is shown as *Unknown*, with its JSON.',
  '',
  'Every event has `event`, `code`, `time` (RFC 3339, UTC), `uid`, `ei` and `cluster_name`, and the fields listed with its',
  'type. A question mark marks what may be missing; a field without a type is text. Fields that come in blocks:',
  '',
];

function familySection(family: EventFamily): string[] {
  const types = EVENT_TYPES.filter((type) => type.family === family);
  return [
    `## ${EVENT_FAMILIES[family].title}`,
    '',
    '| Code | Event | Type | Reads for example | Fields |',
    '|---|---|---|---|---|',
    ...types.map((type) =>
      row([
        `\`${type.code}\``,
        `\`${type.event}\``,
        type.label,
        plain(tellEvent(sampleEvent(type)).message),
        ownFields(type),
      ]),
    ),
    '',
  ];
}

/** The blocks an event has by name, then what is its own. */
function ownFields(type: CatalogueEntry): string {
  const left = new Map(Object.entries(type.fields.shape));
  const held = BLOCKS.filter(([, shape]) => Object.entries(shape).every(([name, schema]) => left.get(name) === schema));
  for (const [, shape] of held) for (const name of Object.keys(shape)) left.delete(name);
  const named = held.filter(([name]) => name !== 'cluster' || !held.some(([other]) => other === 'pod'));
  return [...named.map(([name]) => `*${name}*`), fieldList(Object.fromEntries(left))].filter(Boolean).join(', ');
}

function fieldList(shape: z.ZodRawShape): string {
  return Object.entries(shape)
    .map(([name, schema]) => {
      const mayMiss = (schema as z.ZodType).safeParse(undefined).success;
      const kind = kindOf(schema as z.ZodType);
      return `\`${name}${mayMiss ? '?' : ''}${kind === 'string' ? '' : `: ${kind}`}\``;
    })
    .join(', ');
}

function kindOf(schema: z.ZodType): string {
  const { type, enum: choices, items } = z.toJSONSchema(schema);
  if (choices) return choices.join(' or ');
  if (type === 'array')
    return typeof items === 'object' && !Array.isArray(items) && items.type === 'string' ? 'texts' : 'list';
  return [type ?? 'any'].flat().join(' or ');
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** A line of the log is no markup. */
function plain(text: string): string {
  return text.replace(/[\\`*_<>[\]$]/g, '\\$&');
}

if (import.meta.main) writeFileSync(PAGE, auditEventsPage());
