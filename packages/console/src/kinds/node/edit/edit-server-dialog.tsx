/** Changes the name, address and labels of a server that was entered by hand. Who gains and loses by the labels is told before they are saved. */
import { nodeName } from '@gatehouse/contract/kinds/node/node-spec';
import { type Node, nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { hostPort } from '@gatehouse/contract/std/resource-fields';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { FormDialog } from '@gatehouse/design/form-dialog';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from '../../../shared/enrolment/joining.module.css';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { serverQuery } from '../server-queries.ts';
import { LabelEffects } from './label-effects.tsx';

interface EditServerDialogProps {
  clusterId: string;
  id: string;
  onClose: () => void;
}

export function EditServerDialog({ clusterId, id, onClose }: EditServerDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const found = useQuery(serverQuery(api, clusterId, id));
  const node = found.data;
  if (node?.gatehouse?.type === 'openssh') return <EditForm node={node} onClose={onClose} />;
  if (found.isPending) return null;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('edit-server.title', { server: node?.hostname ?? id })}
      footer={<Button onClick={onClose}>{t('edit-server.cancel')}</Button>}
    >
      <Notice tone="warn">{found.error ? failureWords(t, found.error) : t('edit-server.agent')}</Notice>
    </Dialog>
  );
}

function EditForm({ node, onClose }: { node: Node; onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const queries = useQueryClient();
  const attempt = useAttempt();
  // As it was when the dialog opened: what others change meanwhile must not slip under somebody's hands.
  const [before] = useState(node);
  const [name, setName] = useState(before.hostname);
  const [addr, setAddr] = useState(before.addr);
  const [pairs, setPairs] = useState(() => before.tags.map((label) => `${label.name}=${label.value}`));
  const wrong = wrongPair(pairs);
  const labels = labelsOf(pairs);
  const old = Object.fromEntries(before.tags.map((label) => [label.name, label.value]));
  const isRelabelled = wrong === undefined && textOf(labels) !== textOf(old);
  const change = {
    ...(name === before.hostname ? {} : { name }),
    ...(addr === before.addr ? {} : { addr }),
    ...(isRelabelled ? { labels } : {}),
  };
  const isNameWrong = !nodeName.safeParse(name).success;
  const isAddressWrong = !hostPort.safeParse(addr).success;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isNameWrong || isAddressWrong || wrong !== undefined) return;
    if (Object.keys(change).length === 0) return onClose();
    const params = { clusterId: before.siteId, id: before.id };
    if (!(await attempt.run(() => api(nodeRoutes.update, { params, body: change })))) return;
    onClose();
    toast.show({ tone: 'ok', title: t('edit-server.saved', { server: name }) });
    await queries.invalidateQueries({ queryKey: [RESOURCES] });
  };
  return (
    <FormDialog
      dismissable={!attempt.isBusy}
      size="large"
      title={t('edit-server.title', { server: before.hostname })}
      cancelWord={t('edit-server.cancel')}
      doWord={t('edit-server.save')}
      isBusy={attempt.isBusy}
      onSubmit={submit}
      onClose={onClose}
      className={styles.stack}
    >
      <TextField
        label={t('edit-server.name')}
        hint={t('edit-server.name-hint')}
        mono
        required
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={name}
        error={isNameWrong ? t('edit-server.name-wrong') : undefined}
        onValueChange={setName}
      />
      <TextField
        label={t('edit-server.address')}
        hint={t('edit-server.address-hint')}
        mono
        required
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={addr}
        error={isAddressWrong ? t('edit-server.address-wrong') : undefined}
        onValueChange={setAddr}
      />
      <LabelField hint={t('add-server.labels-hint')} pairs={pairs} wrong={wrong} onPairs={setPairs} />
      {isRelabelled && <LabelEffects node={before} labels={labels} />}
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
    </FormDialog>
  );
}

function textOf(labels: Record<string, string>): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
