export const holdsFiles = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer?.types.includes('Files') ?? false;

/** Shows a file that is dropped anywhere on the page, also before the page has loaded. */
export function takeDroppedFiles(): void {
  for (const type of ['dragenter', 'dragover', 'drop'] as const) {
    addEventListener(type, (event) => {
      const { dataTransfer } = event;
      if (!dataTransfer || !holdsFiles(event)) return;
      // Otherwise the browser opens the file in place of the page.
      event.preventDefault();
      dataTransfer.dropEffect = 'copy';
      const [file] = dataTransfer.files;
      if (type === 'drop' && file) void import('./import-file.ts').then(({ openFile }) => openFile(file));
    });
  }
}
