/** Labels that only the gateway gives. */
import { isHiddenLabel } from '@gatehouse/contract/std/labels';
import { AppError } from '../platform/std/app-error.ts';

export function refuseHiddenLabels(labels: Readonly<Record<string, string>>): void {
  const hidden = Object.keys(labels).find(isHiddenLabel);
  if (hidden !== undefined) throw new AppError('bad_request', `the label '${hidden}' is given by the gateway alone`);
}
