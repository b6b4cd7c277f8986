import { useState, type DragEvent, type Ref } from 'react';

/** Hidden file input, for a button that clicks it. The same file can be chosen again. */
export function FileInput({
  ref,
  accept,
  multiple = false,
  onFiles,
}: {
  ref: Ref<HTMLInputElement>;
  accept?: string | undefined;
  multiple?: boolean;
  onFiles: (files: File[]) => void;
}) {
  return (
    <input
      ref={ref}
      type="file"
      hidden
      accept={accept}
      multiple={multiple}
      onChange={({ currentTarget }) => {
        onFiles([...(currentTarget.files ?? [])]);
        currentTarget.value = '';
      }}
    />
  );
}

/** Returns whether files are dragged over an element, and the props with which it accepts them. */
export function useFileDrop(onFiles: (files: File[]) => void) {
  const [isDragging, setDragging] = useState(false);
  const onDrag = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setDragging(event.type === 'dragover');
    if (event.type === 'drop') onFiles([...event.dataTransfer.files]);
  };
  return { isDragging, dropProps: { onDragOver: onDrag, onDragLeave: onDrag, onDrop: onDrag } };
}
