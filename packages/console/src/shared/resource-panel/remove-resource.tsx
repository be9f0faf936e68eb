/** Takes a resource out of its list, asked before. One that agents announce would be back at once, so it goes with them. */
import { Button } from '@gatehouse/design/button';
import { useQueryClient } from '@tanstack/react-query';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import { AskDialog } from '../access-questions/ask-dialog.tsx';
import { RESOURCES } from '../resource-list/use-paged-rows.ts';
import styles from './resource-panel.module.css';

interface RemoveResourceProps {
  words: {
    remove: string;
    title: string;
    text: string;
    removed: string;
  };
  /** How it goes, where an agent announces it: it is not removed here. */
  announced?: string | undefined;
  remove: () => Promise<unknown>;
  onGone: () => void;
}

export function RemoveResource({ words, announced, remove, onGone }: RemoveResourceProps) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  if (announced !== undefined) return <p className={styles.lead}>{announced}</p>;
  const run = async () => {
    await remove();
    await queries.invalidateQueries({ queryKey: [RESOURCES] });
  };
  return (
    <>
      <Button tone="danger" icon={Trash2} onClick={() => setAsking(true)}>
        {words.remove}
      </Button>
      {isAsking && (
        <AskDialog
          title={words.title}
          confirmWord={words.remove}
          run={run}
          done={words.removed}
          onClose={() => setAsking(false)}
          onDone={onGone}
        >
          {words.text}
        </AskDialog>
      )}
    </>
  );
}
