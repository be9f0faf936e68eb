/** What applying a document is given, and what it gives back. */
import type { AppliedDocument } from '@gatehouse/contract/access/apply/apply';
import type { Subject } from '../../access/create-access.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { SaveDeps } from '../connectors/manage/save-connector.ts';
import type { Asking, ResourceDocuments } from './resource-documents.ts';
import { unifiedDiff } from './unified-diff.ts';

export interface ApplyDeps extends SaveDeps {
  asking: Asking;
  resources: readonly ResourceDocuments[];
  /** Those who could gain by labels. */
  people: readonly Subject[];
  /** Throws unless whoever asks has just proven who they are; a dry run changes nothing, and asks for nothing. */
  requireProof(): Promise<void>;
}

export type Outcome = Pick<AppliedDocument, 'action' | 'diff'> & { notes?: string[] };

export const UNCHANGED: Outcome = { action: 'unchanged', diff: '' };

export function outcome(place: string, before: string | undefined, after: string): Outcome {
  const names = { before: before === undefined ? '/dev/null' : place, after: place };
  return {
    action: before === undefined ? 'created' : 'changed',
    diff: unifiedDiff(before ?? '', after, names),
  };
}

/** A document that names a revision is only for the thing at that revision. */
export function requireRevision(what: string, wanted: string | undefined, held: string | undefined): void {
  if (wanted === undefined || wanted === held) return;
  throw new AppError(
    'compare_failed',
    held === undefined
      ? `${what} was deleted meanwhile, or never existed: take the revision out to make it`
      : `${what} was changed by somebody else meanwhile: look at their version first`,
  );
}
