/** What the application is: the whole form where it is entered here, and only its name and address where a new agent will offer it. */
import { appName, appUri } from '@gatehouse/contract/kinds/app/app-spec';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { Button } from '@gatehouse/design/button';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { useEffect, useId } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { DescribeJoining } from '../../../shared/enrolment/describe-joining.tsx';
import type { Kept } from '../../../shared/enrolment/flow.ts';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import { keptDraft, keptText } from '../../../shared/enrolment/kept-parts.ts';
import { StepBody, StepFoot } from '../../../shared/enrolment/step-parts.tsx';
import { Refused } from '../../../shared/way-there/refused.tsx';
import { type AppDraft, EMPTY_DRAFT, withScheme } from '../form/app-draft.ts';
import { AppForm } from '../form/app-form.tsx';
import { TestAppDraft } from '../form/test-app-draft.tsx';
import { useAppForm } from '../form/use-app-form.ts';

export function DescribeApp() {
  return useFlow().way.value === 'agent' ? <NearAgent /> : <Entered />;
}

function firstDraft(kept: Kept): AppDraft {
  const draft = keptDraft(kept, EMPTY_DRAFT);
  return draft.uri === '' ? { ...draft, uri: keptText(kept, 'address') } : draft;
}

/** What the tab may keep of it: values of headers and the id that AWS shares are secrets. */
function keepable({ headers, externalId: _, ...draft }: AppDraft): object {
  return { ...draft, headers: headers.map((header) => ({ ...header, value: '' })) };
}

function Entered() {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const formId = useId();
  const { clusterId, kept, keep, next } = useFlow();
  const form = useAppForm(
    firstDraft(kept),
    (body) => api(appRoutes.add, { params: { clusterId }, body }),
    ({ name }) => {
      toast.show({ tone: 'ok', title: t('add-app.added', { app: name }) });
      next({ id: name, name });
    },
  );
  const { draft } = form;
  useEffect(() => keep({ draft: keepable(draft) }), [keep, draft]);
  return (
    <>
      <StepBody title={t('discover.describe-title')} lead={t('discover.describe-tried')}>
        <form id={formId} onSubmit={(event) => void form.submit(event)} noValidate>
          <AppForm isNew {...form}>
            <TestAppDraft clusterId={clusterId} draft={draft} />
          </AppForm>
          {form.failure && <Refused message={form.failure} />}
        </form>
      </StepBody>
      <StepFoot>
        <Button type="submit" form={formId} tone="primary" loading={form.isBusy}>
          {t('add-app.submit')}
        </Button>
      </StepFoot>
    </>
  );
}

function NearAgent() {
  const t = useTranslate();
  const { kept, keep } = useFlow();
  const draft = firstDraft(kept);
  const change = (part: Partial<AppDraft>) => keep({ draft: keepable({ ...draft, ...part }) });
  const name = appName.safeParse(draft.name.trim());
  const uri = appUri.safeParse(withScheme(draft));
  const fault = (parsed: typeof name) =>
    parsed.success ? undefined : asSentence(parsed.error.issues[0]?.message ?? '');
  const plain = { mono: true, autoComplete: 'off', autoCapitalize: 'off', spellCheck: false } as const;
  return (
    <DescribeJoining
      lead={t('discover.describe-agent')}
      labelsHint={t('app-form.labels-hint')}
      labels={draft.labels}
      onLabels={(labels) => change({ labels })}
      isLacking={!name.success || !uri.success}
    >
      {(isSent) => (
        <>
          <TextField
            {...plain}
            label={t('app-form.uri')}
            hint={t('add-app.uri-hint')}
            value={draft.uri}
            error={isSent ? fault(uri) : undefined}
            onValueChange={(next) => change({ uri: next })}
          />
          <TextField
            {...plain}
            label={t('apps.name')}
            hint={t('app-form.name-hint')}
            value={draft.name}
            error={isSent ? fault(name) : undefined}
            onValueChange={(next) => change({ name: next })}
          />
        </>
      )}
    </DescribeJoining>
  );
}
