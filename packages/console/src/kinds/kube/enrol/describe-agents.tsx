/** A cluster that two agents in it will offer: what it is called, and which of its groups people may be in there. */
import { kubeName } from '@gatehouse/contract/kinds/kube/kube-spec';
import { kubeGroup } from '@gatehouse/contract/kinds/kube/kubernetes';
import { TextField } from '@gatehouse/design/text-field';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { DescribeJoining } from '../../../shared/enrolment/describe-joining.tsx';
import type { Kept } from '../../../shared/enrolment/flow.ts';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import { keptText, keptTexts } from '../../../shared/enrolment/kept-parts.ts';

const MAX_GROUPS = 64;

/** Commas part them, as they do in the address that the command fetches. */
export function groupsOf(kept: Kept): string[] {
  const typed = keptText(kept, 'groups').split(',');
  return typed.map((group) => group.trim()).filter((group) => group !== '');
}

export function DescribeAgents() {
  const t = useTranslate();
  const { kept, keep } = useFlow();
  const name = keptText(kept, 'clusterName');
  const groups = groupsOf(kept);
  const wrongName = kubeName.safeParse(name).error?.issues[0]?.message;
  const lacksGroups =
    groups.length === 0 || groups.length > MAX_GROUPS || groups.some((group) => !kubeGroup.safeParse(group).success);
  const plain = { mono: true, autoComplete: 'off', autoCapitalize: 'off', spellCheck: false } as const;
  return (
    <DescribeJoining
      lead={t('add-kube.agents-lead')}
      labelsHint={t('add-kube.labels-hint')}
      labels={keptTexts(kept, 'labels')}
      onLabels={(labels) => keep({ labels })}
      isLacking={wrongName !== undefined || lacksGroups}
    >
      {(isSent) => (
        <>
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
        </>
      )}
    </DescribeJoining>
  );
}
