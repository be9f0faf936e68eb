/** Around a form that changes something that was entered by hand: what came another way, and what is not found, says so. */
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { useTranslate } from '../../platform/i18n/words.ts';

interface EditEnteredProps<T> {
  found: UseQueryResult<T>;
  isEntered: (found: T) => boolean;
  title: string;
  cancelWord: string;
  /** Where what is offered elsewhere is changed. */
  elsewhere: string;
  onClose: () => void;
  children: (found: T) => ReactNode;
}

export function EditEntered<T>(props: EditEnteredProps<T>) {
  const { found, isEntered, title, cancelWord, elsewhere, onClose, children } = props;
  const t = useTranslate();
  if (found.data !== undefined && isEntered(found.data)) return children(found.data);
  if (found.isPending) return null;
  return (
    <Dialog open onOpenChange={onClose} title={title} footer={<Button onClick={onClose}>{cancelWord}</Button>}>
      <Notice tone="warn">{found.error ? failureWords(t, found.error) : elsewhere}</Notice>
    </Dialog>
  );
}
