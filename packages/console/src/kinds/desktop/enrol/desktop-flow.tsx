/** The parts of enrolling a desktop: its form, or an agent that asks a directory for all of them; the test up to the sign-in, and the way in. */
import { desktopKind } from '@gatehouse/contract/kinds/desktop/desktop-kind';
import { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { Button } from '@gatehouse/design/button';
import { Spinner } from '@gatehouse/design/spinner';
import { useToast } from '@gatehouse/design/toast';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { AGENT_DOES, type FlowCode } from '../../../shared/enrolment/flow.ts';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import { toJoinToken } from '../../../shared/enrolment/join-token.ts';
import { keptDraft, keptText, keptTexts } from '../../../shared/enrolment/kept-parts.ts';
import { labelsOf } from '../../../shared/enrolment/label-pair.ts';
import { StepBody, StepFoot } from '../../../shared/enrolment/step-parts.tsx';
import { useJoinedThings } from '../../../shared/enrolment/use-joined-things.ts';
import { desktopOf, NEW_DRAFT } from '../add/desktop-draft.ts';
import { DesktopFields, lookAt, useDesktopForm } from '../add/desktop-form.tsx';
import { TestDesktopDraft } from '../add/test-desktop-draft.tsx';
import { ConnectCell } from '../connect/connect-cell.tsx';
import { useConnecting } from '../connect/desktop-logins.ts';
import { DESKTOPS, desktopQuery } from '../desktop-queries.ts';
import { TestDesktop } from '../panel/test-desktop.tsx';
import { DescribeDirectory, ReaderCommand } from './directory-parts.tsx';

export const desktopFlow: FlowCode = {
  ways: [
    {
      value: 'entered',
      label: 'discover.way-address',
      hint: 'discover.way-address-hint',
      may: (acl) => acl.desktops.create,
      steps: ['describe', 'principals', 'test', 'done'],
      cards: ['desktop', 'vnc'],
    },
    {
      value: 'directory',
      label: 'discover.way-directory',
      hint: 'discover.way-directory-hint',
      may: (acl) => acl.tokens.create,
      steps: ['describe', 'run', 'principals', 'test', 'done'],
      cards: ['active-directory'],
    },
  ],
  Describe,
  principals: 'discover.step-logins',
  joining: {
    words: 'add-desktop',
    make: async (api, kept) => {
      const labels = labelsOf(keptTexts(kept, 'labels'));
      // What it will find, only the directory knows.
      const body = { roles: [desktopKind.joinRole], labels, offers: { desktops: ['*'] } };
      return toJoinToken(await api(joinTokenRoutes.create, { body }), labels);
    },
    command: ({ command }) => command,
    lead: 'add-desktop.run-lead',
    does: () => AGENT_DOES,
    // Its file has to be there first.
    forms: () => 'none',
    Before: ReaderCommand,
    useJoined: (clusterId, tokens) => useJoinedThings(DESKTOPS, ({ name }) => ({ id: name, name }), clusterId, tokens),
    isTheThing: true,
  },
  Test: TestOne,
  Open: OpenOne,
};

function Describe() {
  return useFlow().way.value === 'directory' ? <DescribeDirectory /> : <DescribeDesktop />;
}

function DescribeDesktop() {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const { clusterId, card, kept, keep, next } = useFlow();
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
        <DesktopFields
          form={form}
          isNew
          chosen={keptDraft(card.first ?? {}, NEW_DRAFT).protocol}
          look={(typed) => lookAt(api, clusterId, typed)}
        >
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
  const { last, onConnect } = useConnecting(clusterId);
  // The last step offers to go in as who was just tried, where nobody was there before.
  const onPassed = (login: string) => last[id] ?? onConnect(id, login);
  return details ? <TestDesktop clusterId={clusterId} details={details} onPassed={onPassed} /> : <Spinner />;
}

function OpenOne({ clusterId, id }: DesktopProps) {
  const details = useQuery(desktopQuery(useApi(), clusterId, id)).data;
  const connecting = useConnecting(clusterId);
  return details ? <ConnectCell desktop={details.item} connecting={connecting} /> : null;
}
