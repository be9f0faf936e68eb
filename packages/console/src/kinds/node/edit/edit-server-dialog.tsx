/** Changes the name, address and labels of a server that was entered by hand. Who gains and loses by the labels is told before they are saved. */
import { nodeName } from '@gatehouse/contract/kinds/node/node-spec';
import { type Node, nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { hostPort } from '@gatehouse/contract/std/resource-fields';
import { FormDialog } from '@gatehouse/design/form-dialog';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from '../../../shared/enrolment/joining.module.css';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { EditEntered } from '../../../shared/resource-form/edit-entered.tsx';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { serverQuery } from '../server-queries.ts';
import { LabelEffects } from './label-effects.tsx';

const PLAIN = { mono: true, required: true, autoComplete: 'off', autoCapitalize: 'off', spellCheck: false } as const;

interface EditServerDialogProps {
  clusterId: string;
  id: string;
  onClose: () => void;
}

export function EditServerDialog({ clusterId, id, onClose }: EditServerDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const found = useQuery(serverQuery(api, clusterId, id));
  return (
    <EditEntered
      found={found}
      isEntered={({ gatehouse }) => gatehouse?.type === 'openssh'}
      title={t('edit-server.title', { server: found.data?.hostname ?? id })}
      cancelWord={t('edit-server.cancel')}
      elsewhere={t('edit-server.agent')}
      onClose={onClose}
    >
      {(node) => <EditForm node={node} onClose={onClose} />}
    </EditEntered>
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
        {...PLAIN}
        value={name}
        error={isNameWrong ? t('edit-server.name-wrong') : undefined}
        onValueChange={setName}
      />
      <TextField
        label={t('edit-server.address')}
        hint={t('edit-server.address-hint')}
        {...PLAIN}
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
