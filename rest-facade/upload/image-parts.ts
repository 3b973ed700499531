import type busboy from 'busboy';

/** busboy's reader of the headers of a part; `cb` gets them when they are complete. */
interface HeaderReader {
  cb: (headers: Record<string, string[] | undefined>) => void;
}

/**
 * Has busboy take every part of an image type for a file. By itself it goes by the filename, which a part
 * need not have (RFC 7578, 4.2), or by the type application/octet-stream, and decodes the rest as text.
 * It has no option for that: the type is replaced between its reading of the headers and its use of them.
 */
export function takeImagesForFiles(parser: busboy.Busboy): void {
  // One reader serves all parts, and is there from the first part on.
  Object.defineProperty(parser, '_hparser', {
    configurable: true,
    get: () => null,
    set(reader: HeaderReader | null) {
      if (reader === null) return;
      const { cb } = reader;
      reader.cb = (headers) => {
        const [type = ''] = headers['content-type'] ?? [];
        if (/^image\//i.test(type)) headers['content-type'] = ['application/octet-stream'];
        cb(headers);
      };
      Object.defineProperty(parser, '_hparser', { value: reader, writable: true });
    },
  });
}
