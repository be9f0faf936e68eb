/** Changes a desktop that was entered by hand. */
import { type DesktopDetails, desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { useToast } from '@gatehouse/design/toast';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { EditEntered } from '../../../shared/resource-form/edit-entered.tsx';
import { desktopQuery } from '../desktop-queries.ts';
import { desktopOf, draftOf } from './desktop-draft.ts';
import { DesktopFields, lookAt, useDesktopForm } from './desktop-form.tsx';

interface EditDesktopDialogProps {
  clusterId: string;
  name: string;
  onClose: () => void;
}

export function EditDesktopDialog({ clusterId, name, onClose }: EditDesktopDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const found = useQuery(desktopQuery(api, clusterId, name));
  const title = t('add-desktop.edit-title', { name });
  return (
    <EditEntered
      found={found}
      isEntered={({ item }) => item.gatehouse?.source === 'entered'}
      title={title}
      cancelWord={t('add-desktop.cancel')}
      elsewhere={t('add-desktop.edit-agent')}
      onClose={onClose}
    >
      {(details) => <EditForm {...{ clusterId, title, onClose, details }} />}
    </EditEntered>
  );
}

interface EditFormProps {
  clusterId: string;
  details: DesktopDetails;
  title: string;
  onClose: () => void;
}

/** Where it is and what it is known by: another of these, and stored passwords would be sent to somebody else. */
const PLACE = ['addr', 'domain', 'known', 'pin', 'ca', 'tlsName'] as const;

function EditForm({ clusterId, details, title, onClose }: EditFormProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const { name } = details.item;
  const first = draftOf(details);
  const form = useDesktopForm({
    first,
    save: (draft) => {
      const { name: _, signIn: _same, ...body } = desktopOf(draft);
      return api(desktopRoutes.update, { params: { clusterId, name }, body });
    },
    onSaved: () => {
      onClose();
      toast.show({ tone: 'ok', title: t('add-desktop.saved', { name }) });
    },
  });
  const isElsewhere = PLACE.some((field) => form.draft[field] !== first[field]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{t('add-desktop.cancel')}</Button>
          <Button type="submit" form={form.formId} tone="primary" loading={form.attempt.isBusy}>
            {t('add-desktop.save')}
          </Button>
        </>
      }
    >
      <DesktopFields
        form={form}
        isNew={false}
        voids={isElsewhere ? details.passwords.map(({ login }) => login) : []}
        look={(draft) => lookAt(api, clusterId, draft)}
      />
    </Dialog>
  );
}
