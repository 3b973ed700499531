module metrics

go 1.24

require sigs.k8s.io/metrics-server v0.7.2
