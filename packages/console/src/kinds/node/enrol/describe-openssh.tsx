/** A server with plain OpenSSH by its address: where it is, what its host key is known by; and after it was added, what it must trust. */
import { nodeKind } from '@gatehouse/contract/kinds/node/node-kind';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { Button } from '@gatehouse/design/button';
import { CodeBlock } from '@gatehouse/design/code-block';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { useQueryClient } from '@tanstack/react-query';
import Server from 'lucide-react/icons/server';
import { type SubmitEvent, useId, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { DraftTest } from '../../../shared/connection-steps/draft-test.tsx';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import { keptDraft, keptText, keptTexts } from '../../../shared/enrolment/kept-parts.ts';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { StepBody, StepFoot } from '../../../shared/enrolment/step-parts.tsx';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { Refused } from '../../../shared/way-there/refused.tsx';
import { ThroughField } from '../../../shared/way-there/through-field.tsx';
import { addressOf, faultsOf, NEW_SERVER, type ServerDraft, serverOf, testOf } from './server-draft.ts';

export function DescribeOpenSsh() {
  const { kept, thing } = useFlow();
  const authorities = keptTexts(kept, 'authorities');
  return thing && authorities.length > 0 ? <LetItTrust authorities={authorities} /> : <ServerForm />;
}

function ServerForm() {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const queries = useQueryClient();
  const formId = useId();
  const attempt = useAttempt();
  const { clusterId, kept, keep } = useFlow();
  const [isSent, setSent] = useState(false);
  const found = keptDraft(kept, NEW_SERVER);
  const draft = found.addr === '' && !('draft' in kept) ? { ...found, addr: keptText(kept, 'address') } : found;
  const faults = faultsOf(draft);
  const change = (part: Partial<ServerDraft>) => {
    keep({ draft: { ...draft, ...part } });
    attempt.forget();
  };
  const fault = (field: 'name' | 'addr' | 'hostFingerprint') =>
    isSent && faults[field] !== undefined ? asSentence(faults[field]) : undefined;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    if (Object.keys(faults).length > 0) return;
    await attempt.run(async () => {
      const body = serverOf(draft);
      const { node, authorities } = await api(nodeRoutes.add, { params: { clusterId }, body });
      toast.show({ tone: 'ok', title: t('add-server.added', { name: node.hostname }) });
      keep({ id: node.id, name: node.hostname, authorities });
      await queries.invalidateQueries({ queryKey: [RESOURCES] });
    });
  };
  const plain = { mono: true, autoComplete: 'off', autoCapitalize: 'off', spellCheck: false } as const;
  const [agent] = draft.through;
  return (
    <>
      <StepBody title={t('discover.describe-title')} lead={t('discover.describe-tried')}>
        <form id={formId} onSubmit={(event) => void submit(event)} noValidate>
          <TextField
            {...plain}
            label={t('add-server.addr')}
            hint={t('add-server.addr-hint')}
            value={draft.addr}
            error={fault('addr')}
            onValueChange={(addr) => change({ addr })}
          />
          <TextField
            {...plain}
            label={t('servers.name')}
            value={draft.name}
            error={fault('name')}
            onValueChange={(name) => change({ name })}
          />
          <TextField
            {...plain}
            label={t('add-server.fingerprint')}
            hint={t('add-server.fingerprint-hint')}
            optional
            value={draft.fingerprint}
            error={fault('hostFingerprint')}
            onValueChange={(fingerprint) => change({ fingerprint })}
          />
          <LabelField
            hint={t('add-server.labels-hint')}
            pairs={draft.labels}
            wrong={faults.labels}
            onPairs={(labels) => change({ labels })}
          />
          {/* One agent dials it: the last that was chosen. */}
          <ThroughField through={draft.through} onThrough={(through) => change({ through: through.slice(-1) })} />
          <DraftTest
            clusterId={clusterId}
            steps={nodeKind.draftSteps.map((step) => ({ step, title: t(`server-panel.step-${step}`) }))}
            wanted={testOf(draft)}
            target={{ name: draft.name.trim(), at: addressOf(draft), icon: Server, agent }}
            toTake={{ word: t('add-server.take-key'), onTake: (fingerprint) => change({ fingerprint }) }}
          />
          {attempt.failure && <Refused message={attempt.failure.message} />}
        </form>
      </StepBody>
      <StepFoot>
        <Button type="submit" form={formId} tone="primary" loading={attempt.isBusy}>
          {t('add-server.add')}
        </Button>
      </StepFoot>
    </>
  );
}

const AUTHORITY_FILE = '/etc/ssh/gatehouse_user_ca.pub';

/** Without this its sshd lets nobody in whom the gateway sends. */
function LetItTrust({ authorities }: { authorities: readonly string[] }) {
  const t = useTranslate();
  const { thing, next } = useFlow();
  return (
    <>
      <StepBody title={t('add-server.trust', { name: thing?.name ?? '' })} lead={t('add-server.trust-lead')}>
        <p>{t('add-server.trust-lines', { file: AUTHORITY_FILE })}</p>
        <CodeBlock wrap label={t('add-server.trust-lines', { file: AUTHORITY_FILE })} code={authorities.join('\n')} />
        <p>{t('add-server.trust-setting')}</p>
        <CodeBlock wrap label={t('add-server.trust-setting')} code={`TrustedUserCAKeys ${AUTHORITY_FILE}`} />
      </StepBody>
      <StepFoot>
        <Button tone="primary" onClick={() => next(thing)}>
          {t('discover.next')}
        </Button>
      </StepFoot>
    </>
  );
}
