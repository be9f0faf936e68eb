/** Tries the way to a database as the form has it, before it is saved; and signs in where a user and a password are there. */
import { dbKind } from '@gatehouse/contract/kinds/db/db-kind';
import Database from 'lucide-react/icons/database';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { DraftTest } from '../../../shared/connection-steps/draft-test.tsx';
import { type DbDraft, testOf } from './db-draft.ts';

interface TestDbDraftProps {
  clusterId: string;
  draft: DbDraft;
}

/** The panel of one that is there calls them so as well. */
const TITLES = {
  reach: 'db-panel.step-reach',
  tcp: 'db-panel.step-tcp',
  tls: 'db-panel.step-tls',
  protocol: 'db-panel.step-protocol',
  login: 'db-panel.step-login',
  name: 'db-panel.step-database',
  rights: 'db-panel.step-rights',
} as const satisfies Record<(typeof dbKind.draftSteps)[number], string>;

export function TestDbDraft({ clusterId, draft }: TestDbDraftProps) {
  const t = useTranslate();
  const wanted = testOf(draft);
  const steps = dbKind.draftSteps.filter((step) => {
    if (step === 'tls') return draft.tlsMode !== 'off';
    return isWay(step) || wanted?.spec.dbUser !== undefined;
  });
  const [agent] = draft.through;
  return (
    <DraftTest
      clusterId={clusterId}
      steps={steps.map((step) => ({ step, title: t(TITLES[step]) }))}
      wanted={wanted}
      target={{ name: draft.name.trim(), at: draft.uri.trim(), icon: Database, agent }}
    />
  );
}

/** What is tried without anybody to sign in as. */
function isWay(step: string): boolean {
  return step === 'reach' || step === 'tcp';
}
