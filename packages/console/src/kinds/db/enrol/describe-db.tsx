/** What the database is, with each hop tried on the way, and the password that it is signed in to with. */
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { Button } from '@gatehouse/design/button';
import { useToast } from '@gatehouse/design/toast';
import { useEffect, useId, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { Kept } from '../../../shared/enrolment/flow.ts';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import { keptDraft, keptText, keptTexts } from '../../../shared/enrolment/kept-parts.ts';
import { StepBody, StepFoot } from '../../../shared/enrolment/step-parts.tsx';
import { Refused } from '../../../shared/way-there/refused.tsx';
import { type DbDraft, EMPTY_DRAFT } from '../form/db-draft.ts';
import { DbForm } from '../form/db-form.tsx';
import { TestDbDraft } from '../form/test-db-draft.tsx';
import { useDbForm } from '../form/use-db-form.ts';

/** With the labels by which a new agent will dial it, where one was made. */
function firstDraft(kept: Kept): DbDraft {
  const draft = keptDraft(kept, EMPTY_DRAFT);
  const agentLabels = kept.way === 'agent' ? keptTexts(kept, 'agentLabels') : [];
  return {
    ...draft,
    uri: draft.uri === '' ? keptText(kept, 'address') : draft.uri,
    labels: [...new Set([...agentLabels, ...draft.labels])],
  };
}

/** What the tab may keep of it. Statements that run first may hold passwords too. */
function keepable({ password: _, initSql: _statements, aws: { externalId: _id, ...aws }, ...draft }: DbDraft): object {
  return { ...draft, aws: { ...aws, externalId: '' } };
}

export function DescribeDb() {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const formId = useId();
  const { clusterId, card, kept, keep, next } = useFlow();
  // The database is there and its password was refused: only that is sent again.
  const [added, setAdded] = useState<string>();
  const form = useDbForm(
    firstDraft(kept),
    async ({ database, secret }) => {
      const { name } = database;
      if (added !== name) await api(databaseRoutes.add, { params: { clusterId }, body: database });
      setAdded(name);
      if (!secret) return;
      const { dbUser, password } = secret;
      await api(databaseRoutes.setSecret, { params: { clusterId, name, dbUser }, body: { password } });
    },
    ({ database: { name } }) => {
      toast.show({ tone: 'ok', title: t('db-form.added', { database: name }) });
      next({ id: name, name });
    },
  );
  const { draft } = form;
  useEffect(() => keep({ draft: keepable(draft) }), [keep, draft]);
  return (
    <>
      <StepBody title={t('discover.describe-title')} lead={t('discover.describe-tried')}>
        <form id={formId} onSubmit={(event) => void form.submit(event)} noValidate>
          <DbForm isNew chosen={keptDraft(card.first ?? {}, EMPTY_DRAFT).protocol} {...form}>
            <TestDbDraft clusterId={clusterId} draft={draft} />
          </DbForm>
          {form.failure && (
            <Refused
              message={
                added === undefined ? form.failure : t('db-form.only-password', { database: added, why: form.failure })
              }
            />
          )}
        </form>
      </StepBody>
      <StepFoot>
        <Button type="submit" form={formId} tone="primary" loading={form.isBusy}>
          {t(added === undefined ? 'databases.add' : 'db-form.store-again')}
        </Button>
      </StepFoot>
    </>
  );
}
