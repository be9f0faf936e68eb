/** The parts of enrolling a desktop: its form, the test up to the sign-in, and the way in. */
import { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { Button } from '@gatehouse/design/button';
import { Spinner } from '@gatehouse/design/spinner';
import { useToast } from '@gatehouse/design/toast';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { FlowCode } from '../../../shared/enrolment/flow.ts';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import { keptDraft, keptText } from '../../../shared/enrolment/kept-parts.ts';
import { StepBody, StepFoot } from '../../../shared/enrolment/step-parts.tsx';
import { desktopOf, NEW_DRAFT } from '../add/desktop-draft.ts';
import { DesktopFields, lookAt, useDesktopForm } from '../add/desktop-form.tsx';
import { TestDesktopDraft } from '../add/test-desktop-draft.tsx';
import { ConnectCell } from '../connect/connect-cell.tsx';
import { useConnecting } from '../connect/desktop-logins.ts';
import { desktopQuery } from '../desktop-queries.ts';
import { TestDesktop } from '../panel/test-desktop.tsx';

export const desktopFlow: FlowCode = {
  ways: [
    {
      value: 'entered',
      label: 'discover.way-address',
      hint: 'discover.way-address-hint',
      may: (acl) => acl.desktops.create,
      steps: ['describe', 'principals', 'test', 'done'],
    },
  ],
  Describe: DescribeDesktop,
  principals: 'discover.step-logins',
  Test: TestOne,
  Open: OpenOne,
};

function DescribeDesktop() {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const { clusterId, kept, keep, next } = useFlow();
  const first = keptDraft(kept, NEW_DRAFT);
  const form = useDesktopForm({
    first: first.addr === '' ? { ...first, addr: keptText(kept, 'address') } : first,
    save: (draft) => api(desktopRoutes.add, { params: { clusterId }, body: desktopOf(draft) }),
    onSaved: (name) => {
      toast.show({ tone: 'ok', title: t('add-desktop.added', { name }) });
      next({ id: name, name });
    },
  });
  const { draft } = form;
  // Nothing of it is secret: passwords are stored in its panel.
  useEffect(() => keep({ draft }), [keep, draft]);
  return (
    <>
      <StepBody title={t('discover.describe-title')} lead={t('discover.describe-desktop-lead')}>
        <DesktopFields form={form} isNew look={(typed) => lookAt(api, clusterId, typed)}>
          <TestDesktopDraft clusterId={clusterId} draft={draft} onTaken={(pin) => form.change({ known: 'pin', pin })} />
        </DesktopFields>
      </StepBody>
      <StepFoot>
        <Button type="submit" form={form.formId} tone="primary" loading={form.attempt.isBusy}>
          {t('desktops.add')}
        </Button>
      </StepFoot>
    </>
  );
}

interface DesktopProps {
  clusterId: string;
  id: string;
}

function TestOne({ clusterId, id }: DesktopProps) {
  const details = useQuery(desktopQuery(useApi(), clusterId, id)).data;
  return details ? <TestDesktop clusterId={clusterId} details={details} /> : <Spinner />;
}

function OpenOne({ clusterId, id }: DesktopProps) {
  const details = useQuery(desktopQuery(useApi(), clusterId, id)).data;
  const connecting = useConnecting(clusterId);
  return details ? <ConnectCell desktop={details.item} connecting={connecting} /> : null;
}
