/** Takes files that are dropped anywhere on an element, and tells while some are held over it. */
import { type DragEvent, useRef, useState } from 'react';
import { type ChosenFile, droppedFiles } from './dropped-files.ts';

export function useDrop(onChosen: (chosen: ChosenFile[]) => void) {
  const [isOver, setOver] = useState(false);
  // Each element inside is entered and left too.
  const depth = useRef(0);
  const step = (by: number) => {
    depth.current = Math.max(0, depth.current + by);
    setOver(depth.current > 0);
  };
  return {
    isOver,
    handlers: {
      onDragEnter: (event: DragEvent) => hasFiles(event) && step(1),
      onDragLeave: (event: DragEvent) => hasFiles(event) && step(-1),
      onDragOver: (event: DragEvent) => hasFiles(event) && event.preventDefault(),
      onDrop: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        void droppedFiles(event.dataTransfer).then(onChosen);
      },
    },
  };
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer.types.includes('Files');
}
