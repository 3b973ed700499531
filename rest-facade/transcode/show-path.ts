const maxSegmentLength = 32;

/**
 * A path that no operation has, as the log and the refusal show it: a password or a key may have slipped
 * in, such as behind an `&` that should be a `?`. It ends before what no path of the service has, its
 * segments are cut, and of what looks like an API key the public id is left.
 */
export function showPath(path: string): string {
  const [plain = ''] = /^[A-Za-z0-9/._~-]*/.exec(path) ?? [];
  const segments = plain.split('/').map((segment) => {
    const masked = segment.replace(/(ia_[a-z0-9]{12}_).+/i, '$1…');
    return masked.length > maxSegmentLength ? `${masked.slice(0, maxSegmentLength)}…` : masked;
  });
  return segments.join('/') + (plain === path ? '' : '…');
}
