/** A Kubernetes cluster from a kubeconfig that is pasted; the command line makes a credential of its own there, which is better. The text holds one: nothing of it is kept. */
import { kubeName } from '@gatehouse/contract/kinds/kube/kube-spec';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { Button } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { TextArea } from '@gatehouse/design/text-area';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useId, useMemo, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { fetchCode } from '../../../platform/code/fetch-code.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import { keptText, keptTexts } from '../../../shared/enrolment/kept-parts.ts';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { StepBody, StepFoot } from '../../../shared/enrolment/step-parts.tsx';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { Refused } from '../../../shared/way-there/refused.tsx';
import { ThroughField } from '../../../shared/way-there/through-field.tsx';
import styles from '../kubernetes.module.css';
import { TestKubeDraft } from './test-kube-draft.tsx';

export function DescribeKube() {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const queries = useQueryClient();
  const formId = useId();
  const attempt = useAttempt();
  const { clusterId, kept, keep, next: goOn } = useFlow();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string>();
  const typedName = keptText(kept, 'clusterName') || undefined;
  const pairs = keptTexts(kept, 'labels');
  const through = keptTexts(kept, 'through');
  const [isSent, setSent] = useState(false);

  const isPasted = text.trim() !== '';
  // What reads YAML is larger than all the rest: it comes when there is something to read.
  const reader = useQuery({
    queryKey: ['code', 'read-kubeconfig'],
    queryFn: () => fetchCode(() => import('./read-kubeconfig.ts')),
    enabled: isPasted,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
  const read = useMemo(() => (isPasted ? reader?.readKubeconfig(text) : undefined), [isPasted, reader, text]);
  const contexts = read && 'contexts' in read ? read.contexts : [];
  const context =
    chosen !== undefined && contexts.includes(chosen) ? chosen : read && 'current' in read ? read.current : '';
  const found = useMemo(
    () => (context === '' ? undefined : reader?.readContext(text, context)),
    [reader, text, context],
  );
  const imported = found && 'imported' in found ? found.imported : undefined;
  const fault = read && 'fault' in read ? read.fault : found && 'fault' in found ? found.fault : undefined;
  const name = typedName ?? suggestedName(context);
  const wrongName = kubeName.safeParse(name).error?.issues[0]?.message;
  const wrong = wrongPair(pairs);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    if (!imported || wrongName !== undefined || wrong !== undefined) return;
    const body = { name, labels: labelsOf(pairs), ...imported, through: [...through] };
    const isTaken = await attempt.run(() => api(kubeRoutes.add, { params: { clusterId }, body }));
    if (!isTaken) return;
    await queries.invalidateQueries({ queryKey: [RESOURCES] });
    toast.show({ tone: 'ok', title: t('add-kube.added', { name }) });
    goOn({ id: name, name });
  };
  return (
    <>
      <StepBody title={t('discover.describe-title')} lead={t('add-kube.own-command-text')}>
        <form id={formId} className={styles.stack} onSubmit={(event) => void submit(event)} noValidate>
          <CopyField
            label={t('add-kube.own-command')}
            value="gatehouse kube add NAME --context CONTEXT --groups GROUPS"
          />
          <CopyField
            label={t('add-kube.manifest')}
            value={`gatehouse kube manifest ${wrongName === undefined ? name : 'NAME'} --groups GROUPS | kubectl apply -f -`}
          />
          <TextArea
            label={t('add-kube.config')}
            hint={t('add-kube.config-hint')}
            mono
            rows={8}
            value={text}
            onValueChange={(next) => {
              setText(next);
              attempt.forget();
            }}
            error={
              fault !== undefined
                ? t(`add-kube.fault-${fault}`)
                : isSent && text.trim() === ''
                  ? t('add-kube.config-missing')
                  : undefined
            }
          />
          {contexts.length > 1 && (
            <Select
              label={t('add-kube.context')}
              value={context}
              onValueChange={setChosen}
              options={contexts.map((each) => ({ value: each, label: each }))}
            />
          )}
          {imported && (
            <>
              <TextField
                label={t('kubernetes.name')}
                hint={t('add-kube.name-hint')}
                mono
                value={name}
                onValueChange={(clusterName) => keep({ clusterName })}
                error={(isSent || typedName !== undefined) && wrongName !== undefined ? wrongName : undefined}
              />
              <LabelField
                hint={t('add-kube.labels-hint')}
                pairs={pairs}
                wrong={wrong}
                onPairs={(labels) => keep({ labels })}
              />
              <ThroughField through={through} onThrough={(names) => keep({ through: names })} />
              <TestKubeDraft {...{ clusterId, name, pairs, through, imported }} />
              {imported.insecureSkipVerify && <Notice tone="warn">{t('kubernetes.insecure-hint')}</Notice>}
              <Notice tone="info" announce="none">
                {t('add-kube.as-is')}
              </Notice>
            </>
          )}
          {attempt.failure && <Refused message={attempt.failure.message} />}
        </form>
      </StepBody>
      <StepFoot>
        <Button type="submit" form={formId} tone="primary" loading={attempt.isBusy}>
          {t('kubernetes.add')}
        </Button>
      </StepFoot>
    </>
  );
}

/** What may stand in an address, of what a context is called. */
function suggestedName(context: string): string {
  const words = context.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, '-');
  return words.replaceAll(/^[.-]+|[.-]+$/g, '').slice(0, 63);
}
