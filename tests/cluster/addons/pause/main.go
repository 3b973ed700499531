// Holds the namespaces of a pod until it is told to end: https://github.com/kubernetes/kubernetes/tree/master/build/pause.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	<-ended
}
