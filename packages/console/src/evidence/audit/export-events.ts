/** Writes the events of a search into a file, page after page, until all are there or enough. */
import { CSV_HEAD, csvLine } from '@gatehouse/contract/audit/csv';
import type { WireEvent } from '@gatehouse/contract/audit/search';
import { MAX_EVENTS } from '@gatehouse/contract/audit/search-query';
import { visibleJson } from '@gatehouse/contract/std/visible-json';
import type { Api } from '../../platform/api/api.ts';
import { isoOf } from '../../shared/time-range/range-search-params.ts';
import { type EventList, loadEvents } from './audit-queries.ts';

export type ExportFormat = 'jsonl' | 'csv';

/** More would not fit the memory of a browser's page; the command line has no such end. */
export const MAX_EXPORTED = 200_000;

const FORMATS: Record<ExportFormat, { type: string; head: string; line: (event: WireEvent) => string }> = {
  jsonl: { type: 'application/x-ndjson', head: '', line: (event) => `${visibleJson(event)}\n` },
  csv: { type: 'text/csv', head: CSV_HEAD, line: csvLine },
};

export interface Exported {
  file: Blob;
  count: number;
  /** There were more. */
  isCut: boolean;
}

interface ExportOptions {
  api: Api;
  list: EventList;
  format: ExportFormat;
  signal: AbortSignal;
  onProgress: (count: number) => void;
}

export async function exportEvents({ api, list, format, signal, onProgress }: ExportOptions): Promise<Exported> {
  const { type, head, line } = FORMATS[format];
  const parts = [head];
  let count = 0;
  let startKey = '';
  do {
    const page = await loadEvents(api, list, { limit: MAX_EVENTS, startKey }, signal);
    // Each page at once, so that a lost connection late in a long export is not found out after more work.
    parts.push(page.events.map(line).join(''));
    count += page.events.length;
    startKey = page.startKey;
    onProgress(count);
  } while (startKey !== '' && count < MAX_EXPORTED);
  return { file: new Blob(parts, { type }), count, isCut: startKey !== '' };
}

export function fileName({ clusterId, span }: EventList, format: ExportFormat): string {
  const stamp = (time: number) => isoOf(time).slice(0, 19).replaceAll(/[-:]/g, '');
  const cluster = clusterId.replaceAll(/[^\w.-]/g, '_');
  return `audit-${cluster}-${stamp(span.from)}Z-${stamp(span.to)}Z.${format}`;
}
