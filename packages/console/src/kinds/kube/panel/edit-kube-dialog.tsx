/** Changes a Kubernetes cluster that was entered: its labels, where it is, and who reaches it. */
import { kubeFields, kubeNamespace } from '@gatehouse/contract/kinds/kube/kube-spec';
import { type KubeClusterDetails, kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { FormDialog } from '@gatehouse/design/form-dialog';
import { Notice } from '@gatehouse/design/notice';
import { TextArea } from '@gatehouse/design/text-area';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { TokenInput } from '@gatehouse/design/token-input';
import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { Refused } from '../../../shared/way-there/refused.tsx';
import { ThroughField } from '../../../shared/way-there/through-field.tsx';
import styles from '../kubernetes.module.css';

interface EditKubeDialogProps {
  clusterId: string;
  details: KubeClusterDetails;
  onClose: () => void;
}

export function EditKubeDialog({ clusterId, details, onClose }: EditKubeDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const queries = useQueryClient();
  const attempt = useAttempt();
  const { name } = details.item;
  const [pairs, setPairs] = useState(() => Object.entries(details.labels).map(([key, value]) => `${key}=${value}`));
  const [server, setServer] = useState(details.server);
  const [ca, setCa] = useState(details.ca);
  const [serverName, setServerName] = useState(details.serverName);
  const [namespaces, setNamespaces] = useState<readonly string[]>(details.namespaces);
  const [through, setThrough] = useState<readonly string[]>(details.through);

  const wrong = {
    labels: wrongPair(pairs),
    server: wordOf(kubeFields.server.safeParse(server)),
    ca: wordOf(kubeFields.ca.safeParse(ca.trim())),
    serverName: wordOf(kubeFields.serverName.safeParse(serverName)),
    namespaces: namespaces.find((each) => !kubeNamespace.safeParse(each).success),
  };
  // What was given for one address is shown to no other.
  const isElsewhere = server !== details.server || ca.trim() !== details.ca || serverName !== details.serverName;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (Object.values(wrong).some((word) => word !== undefined)) return;
    const isTaken = await attempt.run(() =>
      api(kubeRoutes.update, {
        params: { clusterId, name },
        body: {
          ...{ labels: labelsOf(pairs), server, ca: ca.trim(), serverName },
          ...{ namespaces: [...namespaces], through: [...through] },
        },
      }),
    );
    if (!isTaken) return;
    await queries.invalidateQueries({ queryKey: [RESOURCES] });
    onClose();
    toast.show({ tone: 'ok', title: t('kube-panel.saved', { name }) });
  };
  return (
    <FormDialog
      size="large"
      title={t('kube-panel.edit-title', { name })}
      cancelWord={t('kube-panel.cancel')}
      doWord={t('kube-panel.save')}
      isBusy={attempt.isBusy}
      onSubmit={submit}
      onClose={onClose}
      className={styles.stack}
    >
      <LabelField hint={t('kube-panel.labels-hint')} pairs={pairs} wrong={wrong.labels} onPairs={setPairs} />
      <TextField label={t('kube-panel.server')} mono value={server} onValueChange={setServer} error={wrong.server} />
      <TextField
        label={t('kube-panel.server-name')}
        optional
        mono
        value={serverName}
        onValueChange={setServerName}
        error={wrong.serverName}
      />
      <TextArea
        label={t('kube-panel.ca')}
        hint={t('kube-panel.ca-hint')}
        optional
        mono
        rows={4}
        value={ca}
        onValueChange={setCa}
        error={wrong.ca}
      />
      <TokenInput
        label={t('kube-panel.namespaces')}
        hint={t('kube-panel.namespaces-hint')}
        optional
        error={
          wrong.namespaces === undefined ? undefined : t('kube-panel.namespaces-wrong', { name: wrong.namespaces })
        }
        value={namespaces}
        onValueChange={setNamespaces}
      />
      <ThroughField through={through} onThrough={setThrough} />
      {isElsewhere && details.item.gatehouse?.credential === 'stored' && (
        <Notice tone="warn">{t('kube-panel.voids')}</Notice>
      )}
      {attempt.failure && <Refused message={attempt.failure.message} />}
    </FormDialog>
  );
}

function wordOf(read: { error?: { issues: readonly { message: string }[] } | undefined }): string | undefined {
  return read.error?.issues[0]?.message;
}
