/** A cluster that two agents in it will offer: what it is called, and which of its groups people may be in there. */
import { kubeName } from '@gatehouse/contract/kinds/kube/kube-spec';
import { kubeGroup } from '@gatehouse/contract/kinds/kube/kubernetes';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useId, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { Kept } from '../../../shared/enrolment/flow.ts';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import { keptText, keptTexts } from '../../../shared/enrolment/kept-parts.ts';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { StepBody, StepFoot } from '../../../shared/enrolment/step-parts.tsx';

const MAX_GROUPS = 64;

/** Commas part them, as they do in the address that the command fetches. */
export function groupsOf(kept: Kept): string[] {
  const typed = keptText(kept, 'groups').split(',');
  return typed.map((group) => group.trim()).filter((group) => group !== '');
}

export function DescribeAgents() {
  const t = useTranslate();
  const formId = useId();
  const { kept, keep, next, isBusy, failure } = useFlow();
  const [isSent, setSent] = useState(false);
  const name = keptText(kept, 'clusterName');
  const pairs = keptTexts(kept, 'labels');
  const groups = groupsOf(kept);
  const wrongName = kubeName.safeParse(name).error?.issues[0]?.message;
  const lacksGroups =
    groups.length === 0 || groups.length > MAX_GROUPS || groups.some((group) => !kubeGroup.safeParse(group).success);
  const wrong = wrongPair(pairs);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    if (wrongName === undefined && !lacksGroups && wrong === undefined) next();
  };
  const plain = { mono: true, autoComplete: 'off', autoCapitalize: 'off', spellCheck: false } as const;
  return (
    <>
      <StepBody title={t('discover.describe-title')} lead={t('add-kube.agents-lead')}>
        <form id={formId} onSubmit={submit} noValidate>
          <TextField
            {...plain}
            label={t('kubernetes.name')}
            hint={t('add-kube.name-hint')}
            value={name}
            error={isSent ? wrongName : undefined}
            onValueChange={(clusterName) => keep({ clusterName })}
          />
          <TextField
            {...plain}
            label={t('add-kube.groups')}
            hint={t('add-kube.groups-hint')}
            value={keptText(kept, 'groups')}
            error={isSent && lacksGroups ? t('add-kube.groups-missing') : undefined}
            onValueChange={(typed) => keep({ groups: typed })}
          />
          <LabelField
            hint={t('add-kube.labels-hint')}
            pairs={pairs}
            wrong={wrong}
            onPairs={(labels) => keep({ labels })}
          />
        </form>
        {failure && <Notice tone="bad">{failure}</Notice>}
      </StepBody>
      <StepFoot>
        <Button type="submit" form={formId} tone="primary" loading={isBusy}>
          {t('joining.make')}
        </Button>
      </StepFoot>
    </>
  );
}
