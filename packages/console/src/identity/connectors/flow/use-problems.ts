/** Everything that keeps a draft from being saved, each by its field: what the gateway finds, and what can be told from here before it does. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { useMemo } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type Problem, placeAt } from '../../../shared/document-editor/read-document.ts';
import { problemsIn } from '../../../shared/document-editor/refused-document.ts';
import { secretProblem } from '../draft/secret-problem.ts';
import type { ConnectorDraft } from '../draft/use-connector-draft.ts';
import { NAME_PATH } from './step-marks.ts';
import type { Check, Entered } from './use-check.ts';

interface Known {
  draft: ConnectorDraft;
  check: Check;
  entered: Entered;
  /** What is wrong with the name, as far as it can be told from here. */
  misnamed: string | undefined;
  /** The gateway keeps one. */
  hasSecret: boolean;
  /** Before that, nothing is found fault with but the name. */
  isBegun: boolean;
}

export function useProblems(
  kind: ConnectorKind,
  { draft, check, entered, misnamed, hasSecret, isBegun }: Known,
): readonly Problem[] {
  const t = useTranslate();
  const { text, isReadable, problems: unreadable } = draft;
  const secret = isBegun ? secretProblem(kind, draft, hasSecret) : undefined;
  const named = entered.error;
  const { problems: found } = check;
  return useMemo(() => {
    if (!isReadable) return unreadable;
    const isTold = (field: string) => found.some(({ path }) => path === field);
    // Of a name that is wrong, the gateway tells only once every field can be read: it was asked about the name alone, in another text.
    const refused = problemsIn(named).find(({ path }) => path === NAME_PATH);
    const name = misnamed === undefined ? refused : { path: NAME_PATH, message: misnamed };
    return [
      ...(name && !isTold(NAME_PATH) ? [{ ...name, ...placeAt(text, ['metadata', 'name']) }] : []),
      ...(secret && !isTold(SECRET_PATH)
        ? [{ ...placeAt(text, ['spec', 'client_id']), path: SECRET_PATH, message: t(`connectors.secret-${secret}`) }]
        : []),
      ...found,
    ];
  }, [t, text, isReadable, unreadable, named, misnamed, secret, found]);
}

const SECRET_PATH = 'spec.client_secret';
